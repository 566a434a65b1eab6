#if os(Linux) && !REBIND_ELSEWHERE
public import Synchronization

/// A function that other images import, to be pointed at one of ours.
///
/// Declare one for each function, with the function's C signature, and apply it
/// with a replacement of that type:
///
/// ```swift
/// enum Hooks {
///   typealias Open = @convention(c) (UnsafePointer<CChar>, CInt, mode_t) -> CInt
///   static let opening = Rebinding<Open>("open")
/// }
///
/// try Hooks.opening.apply { path, flags, mode in
///   print("Calling real open('\(String(cString: path))', \(flags))")
///   return Hooks.opening.original(path, flags, mode)
/// }
/// ```
///
/// `Function` is a `@convention(c)` function type; any other closure type is
/// refused at compile time, because it is not bitwise copyable.
///
/// Nothing checks a type that you state by hand. Neither the compiler nor the library knows the
/// type of the C function `"open"`, and a wrong one makes calls pass garbage. Where a module
/// declares the function, ``init(_:version:library:like:)`` lets the compiler check it.
///
/// A variadic function such as `open` is declared with the fixed arguments it is
/// called with: on x86-64 and AArch64 Linux they arrive in the same registers.
///
/// Declare rebindings as static or global constants: the compiler initialises them
/// where they are, so that reaching `original` costs what it costs in C. That is also
/// why a rebinding cannot be copied. One that has been used keeps some hundred bytes for
/// good, since a replacement may run for as long as the program does.
///
/// ### A replacement that captures
///
/// A replacement captures nothing, as with every C function pointer: no parameter, no `self`, no
/// local variable, and no local rebinding, whose own `original` it may want. The compiler's words
/// for that are "a C function pointer cannot be formed from a closure that captures context". In
/// Swift 6 mode, version 6.3.1 of the compiler crashes instead. It prints "terminate called after
/// throwing an instance of 'std::out_of_range'", "map::at" and "While running pass …
/// SILFunctionTransform "SendNonSendable" on SILFunction". The line "for 'count(_:)'" behind it
/// names the function that has the closure.
///
/// Declare the rebinding, and what its replacement needs, as static or global constants:
///
/// ```swift
/// import Synchronization
///
/// enum Closes {
///   static let rebinding = Rebinding<@convention(c) (CInt) -> CInt>("close")
///   static let count = Mutex(0)
/// }
///
/// func countCloses(from start: Int) throws {
///   Closes.count.withLock { $0 = start }
///   try Closes.rebinding.apply { descriptor in
///     Closes.count.withLock { $0 += 1 }
///     return Closes.rebinding.original(descriptor)
///   }
/// }
/// ```
///
/// Closures of RebindTesting may capture.
///
/// - Warning: Not in a static or global *variable*: the core writes the original there, so
///   the program ends if such a rebinding is replaced or moved while it is applied.
public struct Rebinding<Function: BitwiseCopyable>: ~Copyable, Sendable {
  /// The symbol's name, as the images import it.
  public let name: String

  /// The symbol's version that callers have to ask for; nil for any.
  public let version: String?

  /// The library that callers have to be bound to; nil for any.
  public let library: String?

  /// The original, kept here by the core; 0 before the first use, and where the
  /// rebinding is no static or global constant and may move.
  @usableFromInline
  internal let originalCell: Atomic<UInt>

  /// The address of the storage; 0 before the first use.
  @usableFromInline
  internal let storageAddress: Atomic<UInt>

  /// Prepares to rebind a symbol; nothing is changed until `apply`.
  ///
  /// Nothing checks the function's type.
  ///
  /// - Parameters:
  ///   - name: The symbol's name, mangled where the language mangles it.
  ///   - version: Only calls of this version of the symbol, such as
  ///     `"GLIBC_2.2.5"`; nil for any.
  ///   - library: Only calls that are bound to this library, by its soname, path
  ///     or file name; nil for any.
  ///   - type: The function's type; mostly inferred.
  /// - Precondition: `Function` is a `@convention(c)` function type; the first use checks
  ///   that.
  // Nothing but constants, or the compiler would initialise at run time.
  @inlinable
  public init(
    _ name: String, version: String? = nil, library: String? = nil,
    as type: Function.Type = Function.self
  ) {
    self.name = name
    self.version = version
    self.library = library
    self.originalCell = Atomic(0)
    self.storageAddress = Atomic(0)
  }

  /// Prepares to rebind a symbol whose type the compiler compares with that of a function.
  ///
  /// ```swift
  /// enum Users {
  ///   typealias GetUser = @convention(c) () -> uid_t
  ///   static let current = Rebinding<GetUser>("getuid", like: getuid)
  /// }
  /// ```
  ///
  /// State the type all the same: the compiler infers no C function type from a function. Write a
  /// closure if the type has a member with the function's name, or if two functions have the same
  /// name: `like: { Glibc.open($0, $1, $2) }`.
  ///
  /// - Parameters:
  ///   - name: The symbol's name, mangled where the language mangles it.
  ///   - version: Only calls of this version of the symbol, such as `"GLIBC_2.2.5"`; nil for any.
  ///   - library: Only calls that are bound to this library, by its soname, path or file name;
  ///     nil for any.
  ///   - function: The function, as its module declares it. It is neither called nor kept.
  @inlinable
  public init(
    _ name: String, version: String? = nil, library: String? = nil,
    like function: Function
  ) {
    self.init(name, version: version, library: library, as: Function.self)
  }

  @inlinable
  deinit {
    if storageAddress.load(ordering: .acquiring) != 0 { endUse() }
  }

  /// A function of its own, which keeps the inlined `deinit` small for unused rebindings.
  @usableFromInline @inline(never)
  internal borrowing func endUse() {
    let storage = RebindingStorage(at: storageAddress.load(ordering: .acquiring))
    if storage.isStatic && storage.isInUse { failToMove() }
  }

  private borrowing func failToMove() -> Never {
    fatalError(
      "the rebinding of \(name) was replaced or moved while it was applied: declare it as a "
        + "static or global constant")
  }

  private var storage: RebindingStorage {
    let address = storageAddress.load(ordering: .acquiring)
    if address != 0 {
      let storage = RebindingStorage(at: address)
      let isInPlace = withUnsafePointer(to: originalCell) { storage.isCell($0) }
      if storage.isStatic && !isInPlace { failToMove() }
      return storage
    }
    guard isCFunctionType(Function.self) else {
      fatalError("Rebinding<\(Function.self)>: \(name) must have a @convention(c) function type")
    }
    return withUnsafePointer(to: originalCell) { cell in
      let made = RebindingStorage(symbol: name, ownCell: cell)
      let (isFirst, other) = storageAddress.compareExchange(
        expected: 0, desired: made.address, ordering: .acquiringAndReleasing)
      guard !isFirst else { return made }
      made.free(ownCell: cell)
      return RebindingStorage(at: other)
    }
  }

  /// The function that callers would reach without this rebinding.
  ///
  /// Costs one load: no lock, no lookup and no reference counting. A rebinding that is
  /// no static or global constant costs two more loads and a call.
  ///
  /// - Precondition: The rebinding has been applied, or the symbol is defined by
  ///   an image in the program's global scope.
  @inlinable
  public var original: Function {
    let address = UnsafeMutableRawPointer(bitPattern: originalCell.load(ordering: .relaxed))
    return function(at: address ?? otherOriginal())
  }

  /// Apart, so that replacements have no code for it.
  @usableFromInline @inline(never)
  internal func otherOriginal() -> UnsafeMutableRawPointer {
    guard let address = storage.original else {
      fatalError("nothing defines \(name), so it has no original to call")
    }
    return address
  }

  /// Points the symbol at `replacement`, in every image unless `scope` says otherwise.
  ///
  /// Either all slots of the symbol are changed, or none is. `original` is right
  /// before the first call can arrive. Later images are served before their
  /// constructors run, and so is what `dlsym` returns.
  ///
  /// A rebinding without a slot in scope that can be changed has no effect now. If some loaded
  /// image exports the symbol, and later images are in scope, it succeeds, and the report says so.
  /// Else it is an error that says why nothing would happen.
  ///
  /// - Parameters:
  ///   - scope: The images and slots to change.
  ///   - mayComeLater: No error if nothing exports the symbol yet, as an image that is loaded
  ///     later may do so. The symbol of the report is pending then.
  ///   - replacement: The function that callers shall reach.
  /// - Returns: The number of slots and images that were changed.
  /// - Throws: `RebindError`, with nothing changed; `alreadyActive` if it is applied already. The
  ///   code is `undefined` if no slot can be changed and no loaded image exports the symbol, and
  ///   `unreached` if no slot can be changed and none can come.
  /// - Complexity: O(symbols that all images import). An error of the last two kinds costs what
  ///   `diagnose` does.
  ///
  /// The corresponding C functions are `crebind_apply` and `crebind_explain`.
  @discardableResult
  public func apply(
    in scope: RebindingScope = .all, mayComeLater: Bool = false, _ replacement: Function
  ) throws(RebindError) -> RebindingReport {
    try storage.apply(request(replacement), in: scope, mayComeLater: mayComeLater)
  }

  /// Puts back what the slots held. Without an active rebinding it does nothing.
  ///
  /// Calls that are inside the replacement go on, and may still use `original`.
  /// A slot that someone else has changed since is left alone, and counted as
  /// skipped.
  ///
  /// Somebody else's hook in a slot may lead on to the replacement, and may put the
  /// replacement back one day: the error is then `covered`. All other slots are restored. A
  /// later call of any rebinding restores covered slots once they hold the replacement
  /// again; the rebinding stays active until restored without error.
  ///
  /// - Throws: `RebindError`, with nothing changed but for `covered`; `partOfBatch` if it was
  ///   applied with others, which are restored together.
  ///
  /// - Returns: The numbers of slots that were restored, and of those that were not.
  ///
  /// The corresponding C function is `crebind_restore`.
  public func restore() throws(RebindError) -> RebindingReport {
    try storage.restore(symbol: name)
  }

  /// Checks whether every slot still leads to the replacement, and stores again into slots that
  /// a pending lazy resolver has overwritten. A slot that someone else has changed since is left
  /// alone, and counted as skipped.
  ///
  /// - Throws: `RebindError`; `notActive` if it is not applied, and `partOfBatch` if it
  ///   was applied with others.
  ///
  /// - Returns: How many slots are right, were stored again, or are somebody else's.
  ///
  /// The corresponding C function is `crebind_verify`.
  public func verify() throws(RebindError) -> RebindingReport {
    try storage.withActiveBatch(symbol: name) { (batch) throws(RebindError) in
      try batch.verify()
    }
  }

  /// The slots that are rebound, each with its own original.
  ///
  /// - Throws: The same errors as `verify`.
  ///
  /// The corresponding C function is `crebind_slots`.
  public func slots() throws(RebindError) -> [RebindingSlot] {
    try storage.withActiveBatch(symbol: name) { (batch) throws(RebindError) in
      try batch.slots()
    }
  }

  /// The slots that `apply` would change: a dry run.
  ///
  /// - Throws: `RebindError`.
  ///
  /// The corresponding C function is `crebind_plan`.
  public func plan(
    in scope: RebindingScope = .all, _ replacement: Function
  ) throws(RebindError) -> [RebindingSlot] {
    try planBatch([request(replacement)], in: scope)
  }

  /// Says for each image concerned what the rebinding does or would do there, and if
  /// it does nothing, why.
  ///
  /// - Throws: `RebindError`.
  /// - Complexity: O(symbols that all images import + symbols in the files of the images in scope
  ///   that neither import nor export it). Where nothing exports it, all exported names are
  ///   compared with it.
  ///
  /// The corresponding C function is `crebind_diagnose`.
  public func diagnose(in scope: RebindingScope = .all) throws(RebindError) -> [Diagnosis] {
    try diagnoseRebinding(request(nil), in: scope)
  }

  /// The rebinding with its replacement, for a batch.
  ///
  /// - Parameters:
  ///   - mayComeLater: No error if nothing exports the symbol yet. The batch's other symbols are
  ///     checked all the same.
  ///   - replacement: The function that callers shall reach.
  public func replaced(mayComeLater: Bool = false, by replacement: Function) -> Replacement {
    storage.noteReplacement()
    var request = request(replacement)
    request.mayComeLater = mayComeLater
    return Replacement(request: request, storage: storage)
  }

  private func request(_ replacement: Function?) -> RebindingRequest {
    RebindingRequest(
      name: name, version: version, library: library,
      replacement: replacement.map { address(of: $0) },
      original: storage.originalPointer)
  }

  /// True between `apply` and `restore`.
  public var isActive: Bool { storage.isActive }

  /// `Rebinding of open (active)`.
  public var description: String {
    "Rebinding of \(name) (\(isActive ? "active" : "not active"))"
  }
}
#endif
