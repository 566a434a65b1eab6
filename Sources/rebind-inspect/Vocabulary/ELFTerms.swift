#if Commands

import CLibelf
import Rebind

// How the values read. Each has a `name` of its own that is a String, and is not used here: files
// have many symbols.

extension SymbolType: ELFTerm {
  static var osSpecific: ClosedRange<UInt8>? { UInt8(STT_LOOS)...UInt8(STT_HIOS) }
  static var processorSpecific: ClosedRange<UInt8>? { UInt8(STT_LOPROC)...UInt8(STT_HIPROC) }

  /// The constant without its `STT_`, and `IFUNC` for `STT_GNU_IFUNC`, as readelf has it.
  var term: StaticString? {
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

extension SymbolBinding: ELFTerm {
  static var osSpecific: ClosedRange<UInt8>? { UInt8(STB_LOOS)...UInt8(STB_HIOS) }
  static var processorSpecific: ClosedRange<UInt8>? { UInt8(STB_LOPROC)...UInt8(STB_HIPROC) }

  /// The constant without its `STB_`, and `UNIQUE` for `STB_GNU_UNIQUE`, as readelf has it.
  var term: StaticString? {
    switch Int32(rawValue) {
    case STB_LOCAL: "LOCAL"
    case STB_GLOBAL: "GLOBAL"
    case STB_WEAK: "WEAK"
    case STB_GNU_UNIQUE: "UNIQUE"
    default: nil
    }
  }
}

extension SymbolVisibility: ELFTerm {
  /// The constant without its `STV_`.
  var term: StaticString? {
    switch Int32(rawValue) {
    case STV_DEFAULT: "DEFAULT"
    case STV_INTERNAL: "INTERNAL"
    case STV_HIDDEN: "HIDDEN"
    case STV_PROTECTED: "PROTECTED"
    default: nil
    }
  }
}

extension ImageType: ELFTerm {
  static var osSpecific: ClosedRange<UInt16>? { UInt16(ET_LOOS)...UInt16(ET_HIOS) }
  static var processorSpecific: ClosedRange<UInt16>? { UInt16(ET_LOPROC)...UInt16(ET_HIPROC) }

  /// The constant without its `ET_`.
  var term: StaticString? {
    switch Int32(rawValue) {
    case ET_NONE: "NONE"
    case ET_REL: "REL"
    case ET_EXEC: "EXEC"
    case ET_DYN: "DYN"
    case ET_CORE: "CORE"
    default: nil
    }
  }
}

extension Machine: ELFTerm {
  /// The name that the toolchains use.
  var term: StaticString? {
    switch Int32(rawValue) {
    case EM_NONE: "none"
    case EM_SPARC: "sparc"
    case EM_386: "i386"
    case EM_68K: "m68k"
    case EM_MIPS: "mips"
    case EM_PARISC: "hppa"
    case EM_SPARC32PLUS: "sparc32plus"
    case EM_PPC: "ppc"
    case EM_PPC64: "ppc64"
    case EM_S390: "s390"
    case EM_ARM: "arm"
    case EM_SH: "sh"
    case EM_SPARCV9: "sparcv9"
    case EM_IA_64: "ia64"
    case EM_X86_64: "x86-64"
    case EM_AVR: "avr"
    case EM_XTENSA: "xtensa"
    case EM_MICROBLAZE: "microblaze"
    case EM_AARCH64: "aarch64"
    case EM_ARC_COMPACT: "arcompact"
    case EM_ARCV2: "arcv2"
    case EM_RISCV: "riscv"
    case EM_BPF: "bpf"
    case EM_CSKY: "csky"
    case EM_LOONGARCH: "loongarch"
    case EM_ALPHA: "alpha"
    default: nil
    }
  }
}

extension SectionType {
  /// The constant without its `SHT_`, or else the range that the number lies in and the distance
  /// from there.
  var term: String {
    if let name { return name }
    return switch rawValue {
    case UInt32(SHT_LOOS)...UInt32(SHT_HIOS): "LOOS+\(rawValue - UInt32(SHT_LOOS))"
    case UInt32(SHT_LOPROC)...UInt32(SHT_HIPROC): "LOPROC+\(rawValue - UInt32(SHT_LOPROC))"
    default: "UNKNOWN+\(rawValue)"
    }
  }
}

/// The section that a symbol is defined in, `st_shndx`, as readelf shortens it; nil for the number
/// of a section.
func sectionTerm(_ index: UInt16) -> StaticString? {
  switch Int32(index) {
  case SHN_UNDEF: "UND"
  case SHN_ABS: "ABS"
  case SHN_COMMON: "COM"
  default: nil
  }
}

#endif
