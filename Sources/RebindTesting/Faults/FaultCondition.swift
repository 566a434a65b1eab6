internal import CRebindTesting

/// Which calls a fault looks at: those whose arguments and caller are as stated. All others go on,
/// and are not counted for ``FaultCalls``.
///
/// ```swift
/// try withFailing("open", errno: EACCES, when: .argument(0, is: "/etc/hosts")) {
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
    var index = 0
    var kind: Kind
  }

  let terms: [Term]

  /// Every call.
  public static let always = FaultCondition(terms: [])

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

  private init(_ index: Int, _ kind: Kind) { terms = [Term(index: index, kind: kind)] }

  /// Why no call can fulfil it, as a sentence; nil if one can.
  var mistake: String? { terms.lazy.compactMap(\.mistake).first }
}

extension FaultCondition.Term {
  fileprivate var mistake: String? {
    let count = crebind_testing_register_count()
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
      condition.index = UInt8(term.index)
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
