/// How a section is to be treated.
///
/// The corresponding field is `sh_flags`.
public struct SectionFlags: OptionSet, Sendable, Hashable {
  public var rawValue: UInt64
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The program may write to it. The corresponding constant is `SHF_WRITE`.
  public static let writable = Self(rawValue: 1 << 0)
  /// It is part of the loaded image. The corresponding constant is `SHF_ALLOC`.
  public static let allocated = Self(rawValue: 1 << 1)
  /// It holds code. The corresponding constant is `SHF_EXECINSTR`.
  public static let executable = Self(rawValue: 1 << 2)
  /// A linker may merge equal entries. The corresponding constant is `SHF_MERGE`.
  public static let mergeable = Self(rawValue: 1 << 4)
  /// It holds strings, each ended by a zero. The corresponding constant is `SHF_STRINGS`.
  public static let strings = Self(rawValue: 1 << 5)
  /// It is a part of a group. The corresponding constant is `SHF_GROUP`.
  public static let group = Self(rawValue: 1 << 9)
  /// It holds thread-local data. The corresponding constant is `SHF_TLS`.
  public static let threadLocal = Self(rawValue: 1 << 10)
  /// It is compressed. The corresponding constant is `SHF_COMPRESSED`.
  public static let compressed = Self(rawValue: 1 << 11)
  /// A linker keeps it, whether or not something refers to it. The corresponding constant is
  /// `SHF_GNU_RETAIN`.
  public static let retained = Self(rawValue: 1 << 21)
}

extension SectionFlags: CustomStringConvertible {
  /// As readelf writes them: `WA` for writable and allocated.
  public var description: String {
    let letters: [(Self, String)] = [
      (.writable, "W"), (.allocated, "A"), (.executable, "X"), (.mergeable, "M"), (.strings, "S"),
      (.group, "G"), (.threadLocal, "T"), (.compressed, "C"), (.retained, "R"),
    ]
    return letters.filter { contains($0.0) }.map(\.1).joined()
  }
}
