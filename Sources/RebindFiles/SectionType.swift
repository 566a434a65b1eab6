/// What a section holds.
///
/// The corresponding field is `sh_type`.
public struct SectionType: RawRepresentable, Sendable, Hashable {
  public var rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Not used. The corresponding constant is `SHT_NULL`.
  public static let null = Self(rawValue: 0)
  /// What the program makes of it. The corresponding constant is `SHT_PROGBITS`.
  public static let program = Self(rawValue: 1)
  /// Symbols, for linkers and debuggers. The corresponding constant is `SHT_SYMTAB`.
  public static let symbols = Self(rawValue: 2)
  /// Names. The corresponding constant is `SHT_STRTAB`.
  public static let strings = Self(rawValue: 3)
  /// Relocations with addends. The corresponding constant is `SHT_RELA`.
  public static let addendRelocations = Self(rawValue: 4)
  /// A hash table of symbols. The corresponding constant is `SHT_HASH`.
  public static let hash = Self(rawValue: 5)
  /// The dynamic table. The corresponding constant is `SHT_DYNAMIC`.
  public static let dynamic = Self(rawValue: 6)
  /// Notes, such as the build-id. The corresponding constant is `SHT_NOTE`.
  public static let note = Self(rawValue: 7)
  /// Nothing in the file, and zeros in memory. The corresponding constant is `SHT_NOBITS`.
  public static let noBits = Self(rawValue: 8)
  /// Relocations without addends. The corresponding constant is `SHT_REL`.
  public static let relocations = Self(rawValue: 9)
  /// The dynamic symbols. The corresponding constant is `SHT_DYNSYM`.
  public static let dynamicSymbols = Self(rawValue: 11)

  /// The constant without its `SHT_`; nil if it has no name here.
  public var name: String? {
    switch self {
    case .null: "NULL"
    case .program: "PROGBITS"
    case .symbols: "SYMTAB"
    case .strings: "STRTAB"
    case .addendRelocations: "RELA"
    case .hash: "HASH"
    case .dynamic: "DYNAMIC"
    case .note: "NOTE"
    case .noBits: "NOBITS"
    case .relocations: "REL"
    case .dynamicSymbols: "DYNSYM"
    default: nil
    }
  }
}

extension SectionType: CustomStringConvertible {
  /// The name, or else the number: `PROGBITS`, `type 0x6ffffff6`.
  public var description: String { name ?? "type 0x\(String(rawValue, radix: 16))" }
}
