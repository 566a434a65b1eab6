#if os(Linux) && !REBIND_ELSEWHERE
/// How the loader treats an image, continued: the value of `DynamicTag.flags1`.
///
/// The corresponding constants begin with `DF_1_`.
public struct DynamicFlags1: OptionSet, Sendable, Hashable {
  public var rawValue: UInt64
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// All jump slots are bound at load. The corresponding constant is `DF_1_NOW`.
  public static let bindNow = Self(rawValue: 0x1)
  /// Never unloaded. The corresponding constant is `DF_1_NODELETE`.
  public static let noDelete = Self(rawValue: 0x8)
  /// Initialised before other images. The corresponding constant is `DF_1_INITFIRST`.
  public static let initializesFirst = Self(rawValue: 0x20)
  /// Not to be opened by dlopen. The corresponding constant is `DF_1_NOOPEN`.
  public static let noOpen = Self(rawValue: 0x40)
  /// Names may contain `$ORIGIN`. The corresponding constant is `DF_1_ORIGIN`.
  public static let origin = Self(rawValue: 0x80)
  /// Stands before other images in the search. The corresponding constant is
  /// `DF_1_INTERPOSE`.
  public static let interposes = Self(rawValue: 0x400)
  /// The default library path is not searched. The corresponding constant is
  /// `DF_1_NODEFLIB`.
  public static let noDefaultLibraries = Self(rawValue: 0x800)
  /// A position-independent executable. The corresponding constant is `DF_1_PIE`.
  public static let positionIndependentExecutable = Self(rawValue: 0x800_0000)
}

extension DynamicFlags1: CustomStringConvertible {
  /// The constants without their `DF_1_`: `NOW PIE`; a bit without a name in hexadecimal.
  public var description: String {
    flagNames(
      rawValue,
      [
        "NOW", "GLOBAL", "GROUP", "NODELETE", "LOADFLTR", "INITFIRST", "NOOPEN", "ORIGIN", "DIRECT",
        nil, "INTERPOSE", "NODEFLIB", "NODUMP", "CONFALT", "ENDFILTEE", "DISPRELDNE", "DISPRELPND",
        "NODIRECT", "IGNMULDEF", "NOKSYMS", "NOHDR", "EDITED", "NORELOC", "SYMINTPOSE", "GLOBAUDIT",
        "SINGLETON", "STUB", "PIE",
      ])
  }
}
#endif
