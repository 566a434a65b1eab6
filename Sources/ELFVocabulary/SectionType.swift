#if os(Linux) && !REBIND_ELSEWHERE
/// The kind of a section's contents.
///
/// The corresponding field is `sh_type`.
public struct SectionType: RawRepresentable, Sendable, Hashable {
  public var rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Not used. The corresponding constant is `SHT_NULL`.
  public static let null = Self(rawValue: 0)
  /// Contents that the program defines. The corresponding constant is `SHT_PROGBITS`.
  public static let programData = Self(rawValue: 1)
  /// Symbols for a linker. The corresponding constant is `SHT_SYMTAB`.
  public static let symbolTable = Self(rawValue: 2)
  /// Strings that others refer to. The corresponding constant is `SHT_STRTAB`.
  public static let stringTable = Self(rawValue: 3)
  /// Relocations with addends. The corresponding constant is `SHT_RELA`.
  public static let relocationsWithAddends = Self(rawValue: 4)
  /// A hash table of symbols. The corresponding constant is `SHT_HASH`.
  public static let hash = Self(rawValue: 5)
  /// The dynamic table. The corresponding constant is `SHT_DYNAMIC`.
  public static let dynamic = Self(rawValue: 6)
  /// Notes. The corresponding constant is `SHT_NOTE`.
  public static let note = Self(rawValue: 7)
  /// Zeros, which take no room in the file. The corresponding constant is `SHT_NOBITS`.
  public static let noBits = Self(rawValue: 8)
  /// Relocations without addends. The corresponding constant is `SHT_REL`.
  public static let relocations = Self(rawValue: 9)
  /// Symbols for the loader. The corresponding constant is `SHT_DYNSYM`.
  public static let dynamicSymbols = Self(rawValue: 11)
  /// Constructors. The corresponding constant is `SHT_INIT_ARRAY`.
  public static let initializers = Self(rawValue: 14)
  /// Destructors. The corresponding constant is `SHT_FINI_ARRAY`.
  public static let finalizers = Self(rawValue: 15)
  /// Constructors of a program, before those of its libraries. The corresponding constant is
  /// `SHT_PREINIT_ARRAY`.
  public static let preinitializers = Self(rawValue: 16)
  /// The sections of a group. The corresponding constant is `SHT_GROUP`.
  public static let group = Self(rawValue: 17)
  /// Relative relocations, packed. The corresponding constant is `SHT_RELR`.
  public static let relativeRelocations = Self(rawValue: 19)
  /// Relocations that are packed as CREL. The corresponding constant is `SHT_CREL`.
  public static let compactRelocations = Self(rawValue: 0x4000_0014)
  /// Relocations without addends that are packed for Android. The corresponding constant is
  /// `SHT_ANDROID_REL`.
  public static let androidRelocations = Self(rawValue: 0x6000_0001)
  /// Relocations with addends that are packed for Android. The corresponding constant is
  /// `SHT_ANDROID_RELA`.
  public static let androidRelocationsWithAddends = Self(rawValue: 0x6000_0002)
  /// Relative relocations, packed, for Android before its API level 30. The corresponding constant
  /// is `SHT_ANDROID_RELR`.
  public static let androidRelativeRelocations = Self(rawValue: 0x6fff_ff00)
  /// A hash table of symbols. The corresponding constant is `SHT_GNU_HASH`.
  public static let gnuHash = Self(rawValue: 0x6fff_fff6)
  /// Versions that are defined. The corresponding constant is `SHT_GNU_verdef`.
  public static let versionDefinitions = Self(rawValue: 0x6fff_fffd)
  /// Versions that are asked for. The corresponding constant is `SHT_GNU_verneed`.
  public static let versionNeeds = Self(rawValue: 0x6fff_fffe)
  /// The versions of the symbols. The corresponding constant is `SHT_GNU_versym`.
  public static let symbolVersions = Self(rawValue: 0x6fff_ffff)

  /// The constant without its `SHT_`, as readelf has it; nil if it has no name here.
  public var name: String? {
    switch self {
    case .null: "NULL"
    case .programData: "PROGBITS"
    case .symbolTable: "SYMTAB"
    case .stringTable: "STRTAB"
    case .relocationsWithAddends: "RELA"
    case .hash: "HASH"
    case .dynamic: "DYNAMIC"
    case .note: "NOTE"
    case .noBits: "NOBITS"
    case .relocations: "REL"
    case .dynamicSymbols: "DYNSYM"
    case .initializers: "INIT_ARRAY"
    case .finalizers: "FINI_ARRAY"
    case .preinitializers: "PREINIT_ARRAY"
    case .group: "GROUP"
    case .relativeRelocations: "RELR"
    case .compactRelocations: "CREL"
    case .androidRelocations: "ANDROID_REL"
    case .androidRelocationsWithAddends: "ANDROID_RELA"
    case .androidRelativeRelocations: "ANDROID_RELR"
    case .gnuHash: "GNU_HASH"
    case .versionDefinitions: "VERDEF"
    case .versionNeeds: "VERNEED"
    case .symbolVersions: "VERSYM"
    default: nil
    }
  }
}

extension SectionType: CustomStringConvertible {
  /// The name, or else the number: `PROGBITS`, `0x70000001`.
  public var description: String { name ?? hexadecimal(rawValue) }
}
#endif
