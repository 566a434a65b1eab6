internal import CRebindTesting

/// The result of a call that a fault strikes: any ``CValue`` that it returns, or a ``FaultResult``.
///
/// A number or a structure has to be of the C function's type, since a `float` is not where a
/// `double` is. Write `Float(1.5)` for a function that returns `float`. For functions of the C library
/// that are known, another type is an error.
public protocol FaultValue {
  /// The call's result.
  var faultResult: FaultResult { get }
}

/// The result of a call that a fault strikes, where that is no single value.
public struct FaultResult: FaultValue, Sendable, Hashable {
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

  /// This.
  public var faultResult: FaultResult { self }

  /// The function's usual result when it fails: -1 unless it is known to differ.
  ///
  /// `malloc`, `fopen` and others that return a pointer return NULL. `pthread_create`,
  /// `posix_spawn`, `getaddrinfo` and others that return an error code return that. `fread`,
  /// `fwrite`, `if_nametoindex` and their like return 0.
  public static let usual = FaultResult(kind: .usual)

  /// The call goes on to the original, which is useful with a delay.
  public static let original = FaultResult(kind: .original)

  /// The call goes on, with at most this count of bytes: for `read`, `write`, `send`, `recv` and
  /// their relatives, and of items for `fread` and `fwrite`. A negative one is an error where the fault
  /// begins.
  public static func atMost(_ count: Int) -> FaultResult { FaultResult(kind: .short(count)) }

  /// One result for each call that is struck, in order. The last one is for all further calls.
  /// `nil` is NULL.
  ///
  /// An empty list, or a list inside the list, is an error when the fault begins.
  public static func inOrder(_ results: (any FaultValue)?...) -> FaultResult {
    FaultResult(kind: .inOrder(results.map { $0.faultResult }))
  }

  fileprivate init<Value: CValue>(value: Value) {
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

extension CValue {
  /// The call returns this.
  public var faultResult: FaultResult { FaultResult(value: self) }
}

extension Optional where Wrapped == any FaultValue {
  /// `nil` stands for NULL.
  var faultResult: FaultResult { self?.faultResult ?? FaultResult(kind: .word(0)) }
}
