#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindTesting

/// The result of a call that a fault strikes.
///
/// A number, `true`, `false` and `nil` (for NULL) are results as they stand: `returning: -1`. Write
/// ``value(_:)`` for a variable or a structure.
///
/// A number or a structure has to be of the C function's type, since a `float` is not where a
/// `double` is. Write `.value(Float(1.5))` for a function that returns `float`. For functions of the C
/// library that are known, another type is an error.
public struct FaultResult: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case usual
    case word(UInt64)
    /// The bits of a number.
    case float(UInt32)
    case double(UInt64)
    case structure(type: String, codes: [UInt8], bytes: [UInt8])
    case short(Int)
    case original
    case inOrder([FaultResult])
  }

  let kind: Kind

  init(kind: Kind) { self.kind = kind }

  /// The function's usual result when it fails: -1 unless it is known to differ.
  ///
  /// `malloc`, `fopen` and others that return a pointer return NULL. `pthread_create`,
  /// `posix_spawn`, `getaddrinfo` and others that return an error code return that. `fread`,
  /// `fwrite`, `if_nametoindex` and their like return 0.
  public static let usual = FaultResult(kind: .usual)

  /// The call goes on, as it would without this fault, which is useful with a delay.
  public static let original = FaultResult(kind: .original)

  /// The call goes on, with at most this count of bytes: for `read`, `write`, `send`, `recv` and
  /// their relatives, and of items for `fread` and `fwrite`. A negative one is an error where the fault
  /// begins.
  public static func atMost(_ count: Int) -> FaultResult { FaultResult(kind: .short(count)) }

  /// One result for each call that is struck, in order. The last one is for all further calls.
  ///
  /// An empty list, or a list inside the list, is an error when the fault begins.
  public static func inOrder(_ results: FaultResult...) -> FaultResult {
    FaultResult(kind: .inOrder(results))
  }

  /// A value of the function's type, such as a pointer, a `CInt` or a structure.
  public static func value(_ value: some CValue) -> FaultResult { FaultResult(value: value) }

  private init<Value: CValue>(value: Value) {
    let codes = Value.cType.codes
    let bytes = withUnsafeBytes(of: value) { Array($0) }
    func word<Number: BitwiseCopyable>(_ type: Number.Type) -> Number {
      bytes.withUnsafeBytes { $0.loadUnaligned(as: type) }
    }
    guard codes.count == 1 else {
      self.init(kind: .structure(type: "\(Value.self)", codes: codes, bytes: bytes))
      return
    }
    switch (crebind_testing_type(rawValue: codes[0]), bytes.count) {
    case (CREBIND_TESTING_FLOAT, _): self.init(kind: .float(word(UInt32.self)))
    case (CREBIND_TESTING_DOUBLE, _): self.init(kind: .double(word(UInt64.self)))
    case (CREBIND_TESTING_SINT8, _): self.init(integer: word(Int8.self))
    case (CREBIND_TESTING_SINT16, _): self.init(integer: word(Int16.self))
    case (CREBIND_TESTING_SINT32, _): self.init(integer: word(Int32.self))
    case (_, 1): self.init(integer: word(UInt8.self))
    case (_, 2): self.init(integer: word(UInt16.self))
    case (_, 4): self.init(integer: word(UInt32.self))
    default: self.init(integer: word(UInt64.self))
    }
  }

  private init(integer: some FixedWidthInteger) {
    self.init(kind: .word(UInt64(truncatingIfNeeded: integer)))
  }
}

extension FaultResult: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  /// A number.
  public init(integerLiteral value: Int) { self.init(value: value) }

  /// A `double`.
  public init(floatLiteral value: Double) { self.init(value: value) }
}

extension FaultResult: ExpressibleByBooleanLiteral, ExpressibleByNilLiteral {
  /// 1 or 0.
  public init(booleanLiteral value: Bool) { self.init(value: value) }

  /// NULL.
  public init(nilLiteral: ()) { self.init(kind: .word(0)) }
}
#endif
