#if os(Linux) && !REBIND_ELSEWHERE
/// The access that a program has to a segment's pages.
///
/// The corresponding field is `p_flags`.
public struct SegmentPermissions: OptionSet, Sendable, Hashable {
  public var rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The corresponding constant is `PF_X`.
  public static let execute = Self(rawValue: 1)
  /// The corresponding constant is `PF_W`.
  public static let write = Self(rawValue: 2)
  /// The corresponding constant is `PF_R`.
  public static let read = Self(rawValue: 4)
}

extension SegmentPermissions: CustomStringConvertible {
  /// The notation of `/proc/self/maps`: `r-x`.
  public var description: String {
    (contains(.read) ? "r" : "-") + (contains(.write) ? "w" : "-")
      + (contains(.execute) ? "x" : "-")
  }
}
#endif
