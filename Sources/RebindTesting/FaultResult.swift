/// What a call that is made to fail returns: an integer, `nil` for a NULL pointer,
/// or a floating-point number. Written as a literal.
public struct FaultResult: Sendable, Hashable {
  let word: UInt64
  let number: Double
  let isNumber: Bool

  /// The result of a function that returns an integer of any size.
  public init(_ value: Int) {
    word = UInt64(bitPattern: Int64(value))
    number = 0
    isNumber = false
  }

  /// The result of a function that returns a pointer.
  public init(_ pointer: UnsafeRawPointer?) { self.init(Int(bitPattern: pointer)) }

  /// The result of a function that returns a `double`.
  public init(_ number: Double) {
    word = 0
    self.number = number
    isNumber = true
  }
}

extension FaultResult: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int) { self.init(value) }
}

extension FaultResult: ExpressibleByNilLiteral {
  public init(nilLiteral: ()) { self.init(0) }
}

extension FaultResult: ExpressibleByFloatLiteral {
  public init(floatLiteral value: Double) { self.init(value) }
}
