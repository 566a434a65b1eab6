import CLibelf
import Glibc

/// The width of a file's addresses. The corresponding field is `e_ident[EI_CLASS]`.
enum ELFClass: UInt8 {
  /// The corresponding constant is `ELFCLASS32`.
  case bits32 = 1
  /// The corresponding constant is `ELFCLASS64`.
  case bits64 = 2

  /// The size of an address in bytes.
  var addressSize: UInt64 { self == .bits64 ? 8 : 4 }
}

/// The order of the bytes in a file's words. The corresponding field is `e_ident[EI_DATA]`.
enum ByteOrder: UInt8 {
  /// The corresponding constant is `ELFDATA2LSB`.
  case little = 1
  /// The corresponding constant is `ELFDATA2MSB`.
  case big = 2
}

/// What kind of file it is. The corresponding field is `e_type`.
struct FileType: ELFTerm {
  let rawValue: UInt16

  static var osSpecific: ClosedRange<UInt16>? { UInt16(ET_LOOS)...UInt16(ET_HIOS) }
  static var processorSpecific: ClosedRange<UInt16>? { UInt16(ET_LOPROC)...UInt16(ET_HIPROC) }

  /// The constant without its `ET_`.
  var name: StaticString? {
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

/// The architecture that a file is for. The corresponding field is `e_machine`.
struct Machine: ELFTerm {
  let rawValue: UInt16

  /// The corresponding constant is `EM_S390`.
  static var s390: Self { Self(rawValue: UInt16(EM_S390)) }
  /// The corresponding constant is `EM_ALPHA`.
  static var alpha: Self { Self(rawValue: UInt16(EM_ALPHA)) }
  /// The corresponding constant is `EM_MIPS`.
  static var mips: Self { Self(rawValue: UInt16(EM_MIPS)) }

  /// The name that the toolchains use.
  var name: StaticString? {
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
