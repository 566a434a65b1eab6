#if os(Linux) && !REBIND_ELSEWHERE
/// An identifier of the build that an image is of: the same in the file, the stripped file and the
/// separate debug information.
///
/// The corresponding note is `NT_GNU_BUILD_ID`.
public struct BuildID: Sendable, Hashable {
  /// Mostly 20 bytes, a SHA-1 of the contents.
  public var bytes: [UInt8]

  /// Takes the bytes of the note's descriptor.
  package init(bytes: [UInt8]) { self.bytes = bytes }
}

extension BuildID: CustomStringConvertible {
  /// Hexadecimal, as readelf and `/usr/lib/debug/.build-id` have it.
  public var description: String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
#endif
