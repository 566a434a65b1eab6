import CLibelf
import Glibc

/// What a symbol stands for: the low four bits of `st_info`.
struct SymbolType: ELFTerm {
  let rawValue: UInt8

  static var osSpecific: ClosedRange<UInt8>? { UInt8(STT_LOOS)...UInt8(STT_HIOS) }
  static var processorSpecific: ClosedRange<UInt8>? { UInt8(STT_LOPROC)...UInt8(STT_HIPROC) }

  /// The constant without its `STT_`, and `IFUNC` for `STT_GNU_IFUNC`, as readelf has it.
  var name: StaticString? {
    switch Int32(rawValue) {
    case STT_NOTYPE: "NOTYPE"
    case STT_OBJECT: "OBJECT"
    case STT_FUNC: "FUNC"
    case STT_SECTION: "SECTION"
    case STT_FILE: "FILE"
    case STT_COMMON: "COMMON"
    case STT_TLS: "TLS"
    case STT_GNU_IFUNC: "IFUNC"
    default: nil
    }
  }
}

/// Who can see a symbol, and which definition wins: the high four bits of `st_info`.
struct SymbolBinding: ELFTerm {
  let rawValue: UInt8

  /// The corresponding constant is `STB_LOCAL`.
  static var local: Self { Self(rawValue: UInt8(STB_LOCAL)) }
  /// The corresponding constant is `STB_GLOBAL`.
  static var global: Self { Self(rawValue: UInt8(STB_GLOBAL)) }
  /// The corresponding constant is `STB_WEAK`.
  static var weak: Self { Self(rawValue: UInt8(STB_WEAK)) }
  /// The corresponding constant is `STB_GNU_UNIQUE`.
  static var unique: Self { Self(rawValue: UInt8(STB_GNU_UNIQUE)) }

  static var osSpecific: ClosedRange<UInt8>? { UInt8(STB_LOOS)...UInt8(STB_HIOS) }
  static var processorSpecific: ClosedRange<UInt8>? { UInt8(STB_LOPROC)...UInt8(STB_HIPROC) }

  /// The constant without its `STB_`, and `UNIQUE` for `STB_GNU_UNIQUE`, as readelf has it.
  var name: StaticString? {
    switch self {
    case .local: "LOCAL"
    case .global: "GLOBAL"
    case .weak: "WEAK"
    case .unique: "UNIQUE"
    default: nil
    }
  }
}

/// Whether other images may bind to a symbol: the low two bits of `st_other`.
struct SymbolVisibility: ELFTerm {
  let rawValue: UInt8

  /// The corresponding constant is `STV_DEFAULT`.
  static var `default`: Self { Self(rawValue: UInt8(STV_DEFAULT)) }
  /// The corresponding constant is `STV_INTERNAL`.
  static var `internal`: Self { Self(rawValue: UInt8(STV_INTERNAL)) }
  /// The corresponding constant is `STV_HIDDEN`.
  static var hidden: Self { Self(rawValue: UInt8(STV_HIDDEN)) }
  /// The corresponding constant is `STV_PROTECTED`.
  static var protected: Self { Self(rawValue: UInt8(STV_PROTECTED)) }

  /// The constant without its `STV_`.
  var name: StaticString? {
    switch self {
    case .default: "DEFAULT"
    case .internal: "INTERNAL"
    case .hidden: "HIDDEN"
    case .protected: "PROTECTED"
    default: nil
    }
  }
}

/// The section that a symbol is defined in: `st_shndx`.
struct SectionIndex: RawRepresentable, Equatable {
  let rawValue: UInt16

  /// Not defined here. The corresponding constant is `SHN_UNDEF`.
  static var undefined: Self { Self(rawValue: UInt16(SHN_UNDEF)) }
  /// A value that does not move with the image. The corresponding constant is `SHN_ABS`.
  static var absolute: Self { Self(rawValue: UInt16(SHN_ABS)) }
  /// Not yet allocated. The corresponding constant is `SHN_COMMON`.
  static var common: Self { Self(rawValue: UInt16(SHN_COMMON)) }

  /// The constant as readelf shortens it; nil for the number of a section.
  var name: StaticString? {
    switch self {
    case .undefined: "UND"
    case .absolute: "ABS"
    case .common: "COM"
    default: nil
    }
  }
}
