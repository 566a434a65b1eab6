#if os(Linux) && !REBIND_ELSEWHERE
/// How a section is linked and loaded.
///
/// The corresponding field is `sh_flags`.
public struct SectionFlags: OptionSet, Sendable, Hashable {
  public var rawValue: UInt64
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// May be written to. The corresponding constant is `SHF_WRITE`.
  public static let writable = Self(rawValue: 1 << 0)
  /// Loaded. The corresponding constant is `SHF_ALLOC`.
  public static let allocated = Self(rawValue: 1 << 1)
  /// Code. The corresponding constant is `SHF_EXECINSTR`.
  public static let executable = Self(rawValue: 1 << 2)
  /// Equal entries may be merged. The corresponding constant is `SHF_MERGE`.
  public static let mergeable = Self(rawValue: 1 << 4)
  /// Strings with a zero byte at the end. The corresponding constant is `SHF_STRINGS`.
  public static let strings = Self(rawValue: 1 << 5)
  /// `sh_info` is the index of a section. The corresponding constant is `SHF_INFO_LINK`.
  public static let infoLink = Self(rawValue: 1 << 6)
  /// Kept in the order of the section that it belongs to. The corresponding constant is
  /// `SHF_LINK_ORDER`.
  public static let linkOrder = Self(rawValue: 1 << 7)
  /// Treated in a way that the operating system defines. The corresponding constant is
  /// `SHF_OS_NONCONFORMING`.
  public static let osNonconforming = Self(rawValue: 1 << 8)
  /// Part of a group. The corresponding constant is `SHF_GROUP`.
  public static let group = Self(rawValue: 1 << 9)
  /// The initial values of thread-local variables. The corresponding constant is `SHF_TLS`.
  public static let threadLocal = Self(rawValue: 1 << 10)
  /// The contents are compressed. The corresponding constant is `SHF_COMPRESSED`.
  public static let compressed = Self(rawValue: 1 << 11)
  /// Not dropped by `--gc-sections`. The corresponding constant is `SHF_GNU_RETAIN`.
  public static let retained = Self(rawValue: 1 << 21)
  /// Left out when linked. The corresponding constant is `SHF_EXCLUDE`.
  public static let excluded = Self(rawValue: 1 << 31)
}

extension SectionFlags: CustomStringConvertible {
  /// The letters that readelf has for them, those without one left out: `WA`.
  public var description: String {
    let letters: [(SectionFlags, Character)] = [
      (.writable, "W"), (.allocated, "A"), (.executable, "X"), (.mergeable, "M"),
      (.strings, "S"), (.infoLink, "I"), (.linkOrder, "L"), (.osNonconforming, "O"),
      (.group, "G"), (.threadLocal, "T"), (.compressed, "C"), (.retained, "R"),
      (.excluded, "E"),
    ]
    return String(letters.filter { contains($0.0) }.map(\.1))
  }
}
#endif
