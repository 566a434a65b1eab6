#if os(Linux) && !REBIND_ELSEWHERE
/// The meaning of an entry of the dynamic table.
///
/// The corresponding field is `d_tag`.
public struct DynamicTag: RawRepresentable, Sendable, Hashable {
  public var rawValue: Int64
  public init(rawValue: Int64) { self.rawValue = rawValue }

  /// The end of the table. The corresponding constant is `DT_NULL`.
  public static let null = Self(rawValue: 0)
  /// The soname of a library that the image needs. The corresponding constant is `DT_NEEDED`.
  public static let needed = Self(rawValue: 1)
  /// The size of the jump slots' relocations, in bytes.
  /// The corresponding constant is `DT_PLTRELSZ`.
  public static let jumpSlotRelocationsSize = Self(rawValue: 2)
  /// The address of the jump slots, or what the machine has for it.
  /// The corresponding constant is `DT_PLTGOT`.
  public static let pltGOT = Self(rawValue: 3)
  /// The address of the System V hash table, which counts all symbols.
  /// The corresponding constant is `DT_HASH`.
  public static let hash = Self(rawValue: 4)
  /// The address of the names. The corresponding constant is `DT_STRTAB`.
  public static let stringTable = Self(rawValue: 5)
  /// The address of the symbols. The corresponding constant is `DT_SYMTAB`.
  public static let symbolTable = Self(rawValue: 6)
  /// The address of the relocations with addends. The corresponding constant is `DT_RELA`.
  public static let addendRelocations = Self(rawValue: 7)
  /// Their size in bytes. The corresponding constant is `DT_RELASZ`.
  public static let addendRelocationsSize = Self(rawValue: 8)
  /// The size of one of them in bytes. The corresponding constant is `DT_RELAENT`.
  public static let addendRelocationSize = Self(rawValue: 9)
  /// The size of the names in bytes. The corresponding constant is `DT_STRSZ`.
  public static let stringTableSize = Self(rawValue: 10)
  /// The size of a symbol in bytes. The corresponding constant is `DT_SYMENT`.
  public static let symbolSize = Self(rawValue: 11)
  /// The address of the function that initialises the image.
  /// The corresponding constant is `DT_INIT`.
  public static let initializer = Self(rawValue: 12)
  /// The address of the function that ends it. The corresponding constant is `DT_FINI`.
  public static let finalizer = Self(rawValue: 13)
  /// The name by which other images need this one. The corresponding constant is `DT_SONAME`.
  public static let soname = Self(rawValue: 14)
  /// Where to look for needed libraries, before LD_LIBRARY_PATH.
  /// The corresponding constant is `DT_RPATH`.
  public static let rpath = Self(rawValue: 15)
  /// References are looked up in the image itself first.
  /// The corresponding constant is `DT_SYMBOLIC`.
  public static let symbolic = Self(rawValue: 16)
  /// The address of the relocations without addends. The corresponding constant is `DT_REL`.
  public static let relocations = Self(rawValue: 17)
  /// Their size in bytes. The corresponding constant is `DT_RELSZ`.
  public static let relocationsSize = Self(rawValue: 18)
  /// The size of one of them in bytes. The corresponding constant is `DT_RELENT`.
  public static let relocationSize = Self(rawValue: 19)
  /// Whether the jump slots' relocations have addends: `DT_RELA` or `DT_REL`.
  /// The corresponding constant is `DT_PLTREL`.
  public static let jumpSlotRelocationsKind = Self(rawValue: 20)
  /// The address of the loader's data for debuggers, which the loader stores.
  /// The corresponding constant is `DT_DEBUG`.
  public static let debug = Self(rawValue: 21)
  /// Relocations change pages that are not writable. The corresponding constant is `DT_TEXTREL`.
  public static let textRelocations = Self(rawValue: 22)
  /// The address of the jump slots' relocations. The corresponding constant is `DT_JMPREL`.
  public static let jumpSlotRelocations = Self(rawValue: 23)
  /// All jump slots are bound at load. The corresponding constant is `DT_BIND_NOW`.
  public static let bindNow = Self(rawValue: 24)
  /// The address of an array of initialising functions.
  /// The corresponding constant is `DT_INIT_ARRAY`.
  public static let initializers = Self(rawValue: 25)
  /// The address of an array of ending functions. The corresponding constant is `DT_FINI_ARRAY`.
  public static let finalizers = Self(rawValue: 26)
  /// The size of the array of initialising functions, in bytes. The corresponding constant is
  /// `DT_INIT_ARRAYSZ`.
  public static let initializersSize = Self(rawValue: 27)
  /// The size of the array of ending functions, in bytes. The corresponding constant is
  /// `DT_FINI_ARRAYSZ`.
  public static let finalizersSize = Self(rawValue: 28)
  /// Where to look for needed libraries, after LD_LIBRARY_PATH.
  /// The corresponding constant is `DT_RUNPATH`.
  public static let runPath = Self(rawValue: 29)
  /// A set of `DynamicFlags`. The corresponding constant is `DT_FLAGS`.
  public static let flags = Self(rawValue: 30)
  /// The address of an array of functions that run before all initialising ones.
  /// The corresponding constant is `DT_PREINIT_ARRAY`.
  public static let preinitializers = Self(rawValue: 32)
  /// Its size in bytes. The corresponding constant is `DT_PREINIT_ARRAYSZ`.
  public static let preinitializersSize = Self(rawValue: 33)
  /// The size of the packed relative relocations, in bytes.
  /// The corresponding constant is `DT_RELRSZ`.
  public static let relativeRelocationsSize = Self(rawValue: 35)
  /// The address of the packed relative relocations. The corresponding constant is `DT_RELR`.
  public static let relativeRelocations = Self(rawValue: 36)
  /// The size of one of them in bytes. The corresponding constant is `DT_RELRENT`.
  public static let relativeRelocationSize = Self(rawValue: 37)
  /// The address of relocations that are packed as CREL.
  /// The corresponding constant is `DT_CREL`.
  public static let compactRelocations = Self(rawValue: 0x4000_0026)
  /// The address of relocations without addends that are packed for Android.
  /// The corresponding constant is `DT_ANDROID_REL`.
  public static let androidRelocations = Self(rawValue: 0x6000_000f)
  /// Their size in bytes. The corresponding constant is `DT_ANDROID_RELSZ`.
  public static let androidRelocationsSize = Self(rawValue: 0x6000_0010)
  /// The address of relocations with addends that are packed for Android.
  /// The corresponding constant is `DT_ANDROID_RELA`.
  public static let androidAddendRelocations = Self(rawValue: 0x6000_0011)
  /// Their size in bytes. The corresponding constant is `DT_ANDROID_RELASZ`.
  public static let androidAddendRelocationsSize = Self(rawValue: 0x6000_0012)
  /// The address of the packed relative relocations, for Android before its API level 30.
  /// The corresponding constant is `DT_ANDROID_RELR`.
  public static let androidRelativeRelocations = Self(rawValue: 0x6fff_e000)
  /// Their size in bytes. The corresponding constant is `DT_ANDROID_RELRSZ`.
  public static let androidRelativeRelocationsSize = Self(rawValue: 0x6fff_e001)
  /// The size of one of them in bytes. The corresponding constant is `DT_ANDROID_RELRENT`.
  public static let androidRelativeRelocationSize = Self(rawValue: 0x6fff_e003)
  /// The address of the GNU hash table, which has the defined symbols.
  /// The corresponding constant is `DT_GNU_HASH`.
  public static let gnuHash = Self(rawValue: 0x6fff_fef5)
  /// The address of the version of each symbol. The corresponding constant is `DT_VERSYM`.
  public static let symbolVersions = Self(rawValue: 0x6fff_fff0)
  /// How many relocations with addends are relative, at the start.
  /// The corresponding constant is `DT_RELACOUNT`.
  public static let relativeAddendRelocationCount = Self(rawValue: 0x6fff_fff9)
  /// How many relocations without addends are relative, at the start.
  /// The corresponding constant is `DT_RELCOUNT`.
  public static let relativeRelocationCount = Self(rawValue: 0x6fff_fffa)
  /// A set of `DynamicFlags1`. The corresponding constant is `DT_FLAGS_1`.
  public static let flags1 = Self(rawValue: 0x6fff_fffb)
  /// The address of the versions that the image defines. The corresponding constant is `DT_VERDEF`.
  public static let definedVersions = Self(rawValue: 0x6fff_fffc)
  /// How many versions it defines. The corresponding constant is `DT_VERDEFNUM`.
  public static let definedVersionCount = Self(rawValue: 0x6fff_fffd)
  /// The address of the versions that the image asks for.
  /// The corresponding constant is `DT_VERNEED`.
  public static let neededVersions = Self(rawValue: 0x6fff_fffe)
  /// The number of libraries that the image needs versions of. The corresponding constant is
  /// `DT_VERNEEDNUM`.
  public static let neededVersionCount = Self(rawValue: 0x6fff_ffff)
  /// A library whose definitions are taken before this one's.
  /// The corresponding constant is `DT_AUXILIARY`.
  public static let auxiliary = Self(rawValue: 0x7fff_fffd)
  /// A library whose definitions are taken in place of this one's.
  /// The corresponding constant is `DT_FILTER`.
  public static let filter = Self(rawValue: 0x7fff_ffff)

  /// The constant without its `DT_`, as readelf has it; nil if it has no name here.
  public var name: String? {
    switch self {
    case .null: "NULL"
    case .needed: "NEEDED"
    case .jumpSlotRelocationsSize: "PLTRELSZ"
    case .pltGOT: "PLTGOT"
    case .hash: "HASH"
    case .stringTable: "STRTAB"
    case .symbolTable: "SYMTAB"
    case .addendRelocations: "RELA"
    case .addendRelocationsSize: "RELASZ"
    case .addendRelocationSize: "RELAENT"
    case .stringTableSize: "STRSZ"
    case .symbolSize: "SYMENT"
    case .initializer: "INIT"
    case .finalizer: "FINI"
    case .soname: "SONAME"
    case .rpath: "RPATH"
    case .symbolic: "SYMBOLIC"
    case .relocations: "REL"
    case .relocationsSize: "RELSZ"
    case .relocationSize: "RELENT"
    case .jumpSlotRelocationsKind: "PLTREL"
    case .debug: "DEBUG"
    case .textRelocations: "TEXTREL"
    case .jumpSlotRelocations: "JMPREL"
    case .bindNow: "BIND_NOW"
    case .initializers: "INIT_ARRAY"
    case .finalizers: "FINI_ARRAY"
    case .initializersSize: "INIT_ARRAYSZ"
    case .finalizersSize: "FINI_ARRAYSZ"
    case .runPath: "RUNPATH"
    case .flags: "FLAGS"
    case .preinitializers: "PREINIT_ARRAY"
    case .preinitializersSize: "PREINIT_ARRAYSZ"
    case .relativeRelocationsSize: "RELRSZ"
    case .relativeRelocations: "RELR"
    case .relativeRelocationSize: "RELRENT"
    case .compactRelocations: "CREL"
    case .androidRelocations: "ANDROID_REL"
    case .androidRelocationsSize: "ANDROID_RELSZ"
    case .androidAddendRelocations: "ANDROID_RELA"
    case .androidAddendRelocationsSize: "ANDROID_RELASZ"
    case .androidRelativeRelocations: "ANDROID_RELR"
    case .androidRelativeRelocationsSize: "ANDROID_RELRSZ"
    case .androidRelativeRelocationSize: "ANDROID_RELRENT"
    case .gnuHash: "GNU_HASH"
    case .symbolVersions: "VERSYM"
    case .relativeAddendRelocationCount: "RELACOUNT"
    case .relativeRelocationCount: "RELCOUNT"
    case .flags1: "FLAGS_1"
    case .definedVersions: "VERDEF"
    case .definedVersionCount: "VERDEFNUM"
    case .neededVersions: "VERNEED"
    case .neededVersionCount: "VERNEEDNUM"
    case .auxiliary: "AUXILIARY"
    case .filter: "FILTER"
    default: nil
    }
  }
}

extension DynamicTag: CustomStringConvertible {
  /// The name, or else the number: `NEEDED`, `0x6ffffef7`.
  public var description: String { name ?? hexadecimal(rawValue) }
}
#endif
