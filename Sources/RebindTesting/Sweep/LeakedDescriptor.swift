/// A file descriptor that a run left open.
public struct LeakedDescriptor: Sendable, Hashable {
  /// The descriptor's number.
  public let number: CInt
  /// The file that it is open on, as `/proc/self/fd` says.
  public let path: String
}

extension LeakedDescriptor: CustomStringConvertible {
  public var description: String { "leaked descriptor \(number) (\(path))" }
}
