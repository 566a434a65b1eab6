#if os(Linux) && !REBIND_ELSEWHERE
/// A C string that was found in a section, or through one.
public struct SectionString: Sendable, Hashable {
  /// Where the string, or the pointer to it, is: in bytes from the section's start.
  public var offset: Int
  /// The string without the zero byte at its end, in whatever encoding it has.
  public var bytes: [UInt8]

  /// The string as UTF-8; invalid bytes are replaced by U+FFFD.
  public var string: String { String(decoding: bytes, as: UTF8.self) }
}

extension SectionString: CustomStringConvertible {
  /// The string.
  public var description: String { string }
}
#endif
