#if os(Linux) && !REBIND_ELSEWHERE
/// Several rebindings that are applied as one transaction: all of them, or none.
///
/// ```swift
/// let hooks = try RebindingBatch {
///   Hooks.opening.replaced { path, flags, mode in -1 }
///   Hooks.closing.replaced { descriptor in 0 }
/// }.apply()
/// // Every image's calls go through the closures …
/// print(try hooks.restore())
/// ```
///
/// One pass over the images serves them all, so a batch of a hundred costs little
/// more than one rebinding.
public struct RebindingBatch: Sendable {
  /// The rebindings with their replacements.
  package var replacements: [Replacement]

  /// Chooses among what images import; nil for a batch of replacements.
  let chooser: (@Sendable (Import) -> Replacement?)?

  /// Makes a batch of an array.
  public init(_ replacements: [Replacement]) {
    self.replacements = replacements
    chooser = nil
  }

  /// Makes a batch of a list of statements.
  public init(@RebindingBatchBuilder _ replacements: () -> [Replacement]) {
    self.init(replacements())
  }

  /// Makes a batch of whatever images import, now or later: by a pattern of names, for example, or
  /// by the library that defines them.
  ///
  /// ```swift
  /// enum Users {
  ///   typealias GetNumber = @convention(c) () -> uid_t
  ///   static let real = Rebinding<GetNumber>("getuid")
  ///   static let effective = Rebinding<GetNumber>("geteuid")
  /// }
  ///
  /// let hooks = try RebindingBatch.imports { function in
  ///   switch function.name {
  ///   case "getuid": Users.real.replaced { 0 }
  ///   case "geteuid" where function.definer.name == "libc.so.6": Users.effective.replaced { 0 }
  ///   default: nil
  ///   }
  /// }.apply()
  /// ```
  ///
  /// A definition that only a later image imports is rebound after that image's constructors have
  /// run, right before the dlopen that loads it returns. If another thread is then loading an
  /// image, the rebinding may follow soon.
  ///
  /// - Parameter choose: Gives a definition its replacement, or nil to leave it alone. The name,
  ///   version and library of the replacement's own rebinding do not count. Each definition takes a
  ///   rebinding of its own, as each has an original. `choose` runs once for each definition that
  ///   images in scope import, without our locks. It runs on the thread that applies the batch, and
  ///   for later images mostly on the one that loads them. So it must not wait for a thread that
  ///   loads an image, or that restores this batch.
  ///
  /// The corresponding C function is `crebind_apply_imports`.
  public static func imports(
    _ choose: @escaping @Sendable (Import) -> Replacement?
  ) -> RebindingBatch {
    RebindingBatch(choosing: choose)
  }

  private init(choosing choose: @escaping @Sendable (Import) -> Replacement?) {
    replacements = []
    chooser = choose
  }

  /// Points every symbol of the batch at its replacement: all of them, or none.
  ///
  /// - Parameters:
  ///   - scope: The images and slots to change.
  ///   - mayComeLater: No error if nothing exports a symbol yet, as an image that is loaded later
  ///     may do so. It applies to all symbols of the batch, so no misspelling is found: for single
  ///     symbols, use `Rebinding.replaced(mayComeLater:by:)`.
  /// - Returns: A value that restores them all when it goes out of scope, or earlier by a call.
  /// - Throws: `RebindError`, with nothing changed: `alreadyActive` if one of the rebindings is
  ///   applied already, and `duplicateName` if two of them select the same symbol. The code is
  ///   `undefined` or `unreached` if one would have no effect, or no import was chosen.
  /// - Complexity: O(symbols that all images import).
  ///
  /// The corresponding C function is `crebind_apply`.
  public func apply(
    in scope: RebindingScope = .all, mayComeLater: Bool = false
  ) throws(RebindError) -> ActiveRebindings {
    try ActiveRebindings(applying: self, in: scope, mayComeLater: mayComeLater)
  }

  /// The slots that `apply` would change: a dry run.
  ///
  /// - Throws: The same errors as `apply`.
  ///
  /// The corresponding C functions are `crebind_plan` and `crebind_plan_imports`.
  public func plan(in scope: RebindingScope = .all) throws(RebindError) -> [RebindingSlot] {
    if let chooser { return try planImports(ImportPredicate(chooser, isPlan: true), in: scope) }
    return try planBatch(replacements.map(\.request), in: scope)
  }
}

extension RebindingBatch: CustomStringConvertible {
  /// `batch of open, close`.
  public var description: String {
    chooser != nil
      ? "batch of imports"
      : "batch of \(replacements.map(\.request.name).joined(separator: ", "))"
  }
}
#endif

/// Lets a batch be written as a list of statements, with conditions and loops.
@resultBuilder
public enum RebindingBatchBuilder {
  /// One replacement: a statement.
  public static func buildExpression(_ replacement: Replacement) -> [Replacement] {
    [replacement]
  }
  /// The statements, one after the other.
  public static func buildBlock(_ parts: [Replacement]...) -> [Replacement] {
    parts.flatMap { $0 }
  }
  /// An `if` without an `else`.
  public static func buildOptional(_ part: [Replacement]?) -> [Replacement] { part ?? [] }
  /// An `if` with an `else`, or a `switch`: the first branches.
  public static func buildEither(first part: [Replacement]) -> [Replacement] { part }
  /// An `if` with an `else`, or a `switch`: the other branches.
  public static func buildEither(second part: [Replacement]) -> [Replacement] { part }
  /// A `for` loop.
  public static func buildArray(_ parts: [[Replacement]]) -> [Replacement] {
    parts.flatMap { $0 }
  }
}
