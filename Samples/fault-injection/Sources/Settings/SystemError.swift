import Foundation

/// A call of the system failed.
public struct SystemError: Error, Equatable, CustomStringConvertible {
  public var number: CInt
  public init(_ number: CInt) { self.number = number }
  public var description: String { String(cString: strerror(number)) }
}
