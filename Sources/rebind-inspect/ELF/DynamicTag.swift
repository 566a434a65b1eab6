import CLibelf
import Glibc

/// What an entry of the dynamic table says. The corresponding field is `d_tag`.
struct DynamicTag: RawRepresentable, Equatable {
  let rawValue: Int64

  /// The end of the table. The corresponding constant is `DT_NULL`.
  static var null: Self { Self(rawValue: Int64(DT_NULL)) }

  /// The address of the symbols. The corresponding constant is `DT_SYMTAB`.
  static var symbolTable: Self { Self(rawValue: Int64(DT_SYMTAB)) }
  /// The size of a symbol. The corresponding constant is `DT_SYMENT`.
  static var symbolSize: Self { Self(rawValue: Int64(DT_SYMENT)) }
  /// The address of the names. The corresponding constant is `DT_STRTAB`.
  static var stringTable: Self { Self(rawValue: Int64(DT_STRTAB)) }
  /// The size of the names. The corresponding constant is `DT_STRSZ`.
  static var stringTableSize: Self { Self(rawValue: Int64(DT_STRSZ)) }

  /// The address of the hash table that counts all symbols. The corresponding constant is
  /// `DT_HASH`.
  static var hash: Self { Self(rawValue: Int64(DT_HASH)) }
  /// The address of the hash table of the exported symbols. The corresponding constant is
  /// `DT_GNU_HASH`.
  static var gnuHash: Self { Self(rawValue: Int64(DT_GNU_HASH)) }

  /// The address of the version of each symbol. The corresponding constant is `DT_VERSYM`.
  static var symbolVersions: Self { Self(rawValue: Int64(DT_VERSYM)) }
  /// The address of the versions that the image needs. The corresponding constant is
  /// `DT_VERNEED`.
  static var neededVersions: Self { Self(rawValue: Int64(DT_VERNEED)) }
  /// Of how many images it needs versions. The corresponding constant is `DT_VERNEEDNUM`.
  static var neededVersionCount: Self { Self(rawValue: Int64(DT_VERNEEDNUM)) }
  /// The address of the versions that the image defines. The corresponding constant is
  /// `DT_VERDEF`.
  static var definedVersions: Self { Self(rawValue: Int64(DT_VERDEF)) }
  /// How many versions it defines. The corresponding constant is `DT_VERDEFNUM`.
  static var definedVersionCount: Self { Self(rawValue: Int64(DT_VERDEFNUM)) }

  /// The address of the relocations with addends. The corresponding constant is `DT_RELA`.
  static var addendRelocations: Self { Self(rawValue: Int64(DT_RELA)) }
  /// Their size. The corresponding constant is `DT_RELASZ`.
  static var addendRelocationsSize: Self { Self(rawValue: Int64(DT_RELASZ)) }
  /// The address of the relocations without addends. The corresponding constant is `DT_REL`.
  static var relocations: Self { Self(rawValue: Int64(DT_REL)) }
  /// Their size. The corresponding constant is `DT_RELSZ`.
  static var relocationsSize: Self { Self(rawValue: Int64(DT_RELSZ)) }
  /// The address of the relocations of jump slots. The corresponding constant is `DT_JMPREL`.
  static var jumpSlotRelocations: Self { Self(rawValue: Int64(DT_JMPREL)) }
  /// Their size. The corresponding constant is `DT_PLTRELSZ`.
  static var jumpSlotRelocationsSize: Self { Self(rawValue: Int64(DT_PLTRELSZ)) }
  /// Whether they have addends: `DT_RELA` or `DT_REL`. The corresponding constant is `DT_PLTREL`.
  static var jumpSlotRelocationsKind: Self { Self(rawValue: Int64(DT_PLTREL)) }
}
