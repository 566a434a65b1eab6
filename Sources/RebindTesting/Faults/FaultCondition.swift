#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindTesting
internal import FaultVocabulary
#endif

/// Which calls a fault looks at: those whose arguments and caller are as stated. All others go on,
/// and are not counted for ``FaultCalls``.
///
/// ```swift
/// try withFailing("open", errno: EACCES, when: .path("/etc/hosts")) {
///   #expect(open("/etc/hosts", O_RDONLY) == -1)
///   #expect(open("/etc/passwd", O_RDONLY) >= 0)
/// }
/// ```
///
/// Arguments are counted from 0 among integers and pointers, floating-point numbers and structures
/// left out; six on x86-64 and eight on AArch64 can be looked at. Another index is an error where the
/// fault begins, and so is an image that is not loaded.
public struct FaultCondition: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case integer(low: UInt64, high: UInt64, size: Int, isSigned: Bool)
    case flags(UInt64)
    case text(String)
    case prefix(String)
    case caller(String)
  }

  struct Term: Sendable, Hashable {
    /// Nil for the argument that is the function's path.
    var index: Int? = 0
    var kind: Kind
  }

  private(set) var terms: [Term]

  /// Every call.
  public static let always = FaultCondition(terms: [])

  /// The function's path is this text: the first path, where it takes two.
  ///
  /// The path is compared as the call states it: a relative one is not resolved. If RebindTesting does not
  /// know that the function takes a path, the fault is refused where it begins.
  public static func path(_ path: String) -> FaultCondition { FaultCondition(nil, .text(path)) }

  /// The function's path begins with this text: `/etc` begins `/etcetera` too.
  ///
  /// See ``path(_:)``.
  public static func path(prefix: String) -> FaultCondition { FaultCondition(nil, .prefix(prefix)) }

  /// An integer has this value.
  ///
  /// State the argument's C type: `.argument(0, is: CInt(1))`, since all of its bytes count.
  public static func argument<Value: FixedWidthInteger>(
    _ index: Int, is value: Value
  ) -> FaultCondition {
    argument(index, in: value...value)
  }

  /// An integer is in a range; state the argument's C type.
  public static func argument<Value: FixedWidthInteger>(
    _ index: Int, in range: ClosedRange<Value>
  ) -> FaultCondition {
    FaultCondition(
      index,
      .integer(
        low: UInt64(truncatingIfNeeded: range.lowerBound),
        high: UInt64(truncatingIfNeeded: range.upperBound), size: MemoryLayout<Value>.size,
        isSigned: Value.isSigned))
  }

  /// All of these flags are set.
  public static func argument<Flags: FixedWidthInteger>(
    _ index: Int, has flags: Flags
  ) -> FaultCondition {
    // Without a sign, which would stand for all bits above the type's own.
    FaultCondition(
      index, .flags(UInt64(truncatingIfNeeded: Flags.Magnitude(truncatingIfNeeded: flags))))
  }

  /// A pointer leads to this text.
  public static func argument(_ index: Int, is text: String) -> FaultCondition {
    FaultCondition(index, .text(text))
  }

  /// A pointer leads to a text that begins like this.
  public static func argument(_ index: Int, hasPrefix prefix: String) -> FaultCondition {
    FaultCondition(index, .prefix(prefix))
  }

  /// The call is made by an image that is loaded when the fault begins.
  ///
  /// - Parameter image: Its path or file name.
  public static func called(by image: String) -> FaultCondition {
    FaultCondition(0, .caller(image))
  }

  /// Both hold.
  public static func && (left: FaultCondition, right: FaultCondition) -> FaultCondition {
    FaultCondition(terms: left.terms + right.terms)
  }

  private init(terms: [Term]) { self.terms = terms }

  private init(_ index: Int?, _ kind: Kind) { terms = [Term(index: index, kind: kind)] }
}

#if os(Linux) && !REBIND_ELSEWHERE
extension FaultCondition {
  /// The same condition, with the number of the argument that is a function's path.
  func resolved(for function: KnownFunction) -> FaultCondition {
    var condition = self
    for place in terms.indices where terms[place].index == nil {
      condition.terms[place].index = function.pathArgument
    }
    return condition
  }

  /// Why no call of a function can fulfil it, as a sentence; nil if one can.
  func mistake(of function: KnownFunction) -> String? {
    terms.lazy.compactMap { $0.mistake(of: function) }.first
  }
}

extension FaultCondition.Term {
  fileprivate func mistake(of function: KnownFunction) -> String? {
    let count = crebind_testing_register_count()
    guard let index else {
      return "which argument of \(function.name) is its path is not known here: write "
        + ".argument(index, is: …) or .argument(index, hasPrefix: …)"
    }
    guard (0..<count).contains(index) else {
      return
        "argument \(index) is in no register for integers and pointers, which are 0 to \(count - 1)"
    }
    switch kind {
    case .integer(_, _, let size, _) where size > 8: return "an argument has at most 64 bits"
    case .caller(let image): return imageMistake(image)
    default: return nil
    }
  }

  private func imageMistake(_ image: String) -> String? {
    image.withCString(crebind_testing_is_loaded)
      ? nil : "no loaded image is \(image): load it before the fault begins"
  }
}

extension FaultCondition {
  /// Calls `body` with the conditions in C's form.
  func withConditions<Result>(
    _ body: (UnsafeBufferPointer<crebind_testing_condition>) -> Result
  ) -> Result {
    var conditions: [crebind_testing_condition] = []
    func add(_ terms: ArraySlice<Term>) -> Result {
      guard let term = terms.first else { return conditions.withUnsafeBufferPointer(body) }
      var condition = crebind_testing_condition()
      // `mistake` has refused others.
      condition.index = UInt8(term.index ?? 0)
      func addText(_ text: String, _ kind: crebind_testing_condition_kind) -> Result {
        text.withCString {
          condition.kind = kind
          condition.text = $0
          conditions.append(condition)
          return add(terms.dropFirst())
        }
      }
      switch term.kind {
      case .text(let text): return addText(text, CREBIND_TESTING_TEXT)
      case .prefix(let text): return addText(text, CREBIND_TESTING_PREFIX)
      case .caller(let image): return addText(image, CREBIND_TESTING_CALLER)
      case .integer(let low, let high, let size, let isSigned):
        condition.kind = CREBIND_TESTING_INTEGER
        condition.low = low
        condition.high = high
        condition.size = UInt8(size)
        condition.is_signed = isSigned
      case .flags(let flags):
        condition.kind = CREBIND_TESTING_FLAGS
        condition.low = flags
      }
      conditions.append(condition)
      return add(terms.dropFirst())
    }
    return add(terms[...])
  }
}
#endif

extension FaultCondition: CustomStringConvertible {
  /// `the path begins with "/etc" and argument 1 is 0 to 3`; `always` without a condition.
  public var description: String {
    terms.isEmpty ? "always" : terms.map(\.description).joined(separator: " and ")
  }
}

extension FaultCondition.Term: CustomStringConvertible {
  var description: String {
    let argument = index.map { "argument \($0)" } ?? "the path"
    switch kind {
    case .integer(let low, let high, _, let isSigned):
      let (first, last) =
        isSigned
        ? ("\(Int64(bitPattern: low))", "\(Int64(bitPattern: high))") : ("\(low)", "\(high)")
      return "\(argument) is \(first)\(first == last ? "" : " to \(last)")"
    case .flags(let flags): return "\(argument) has flags 0x\(String(flags, radix: 16))"
    case .text(let text): return "\(argument) is \"\(text)\""
    case .prefix(let text): return "\(argument) begins with \"\(text)\""
    case .caller(let image): return "\(image) calls"
    }
  }
}
