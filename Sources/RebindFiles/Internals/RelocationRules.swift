import CLibelf
import Rebind

/// What of a machine's relocations fills a word of data, and with what.
enum RelocationRule {
  /// The load bias and the addend.
  case relative
  /// A symbol's value and the addend.
  case symbolic
  /// A symbol's value: a jump slot, or an entry of the global offset table.
  case symbol
  /// Something that is not known before it is loaded.
  case unknown

  /// The rule of a type of relocation; nil if it changes nothing.
  init?(_ type: UInt32, of machine: Machine) {
    let type = Int32(bitPattern: type)
    if type == 0 { return nil }
    let types: (relative: Int32, symbolic: [Int32], symbol: [Int32])
    switch machine {
    case .amd64:
      types = (R_X86_64_RELATIVE, [R_X86_64_64], [R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT])
    case .i386: types = (R_386_RELATIVE, [R_386_32], [R_386_GLOB_DAT, R_386_JMP_SLOT])
    case .aarch64:
      types = (
        R_AARCH64_RELATIVE, [R_AARCH64_ABS64, R_AARCH64_GLOB_DAT, R_AARCH64_JUMP_SLOT], []
      )
    case .arm: types = (R_ARM_RELATIVE, [R_ARM_ABS32], [R_ARM_GLOB_DAT, R_ARM_JUMP_SLOT])
    case .riscv: types = (R_RISCV_RELATIVE, [R_RISCV_32, R_RISCV_64], [R_RISCV_JUMP_SLOT])
    case .s390:
      types = (
        R_390_RELATIVE, [R_390_64, R_390_32, R_390_GLOB_DAT, R_390_JMP_SLOT], []
      )
    case .ppc64:
      types = (
        R_PPC64_RELATIVE, [R_PPC64_ADDR64, R_PPC64_GLOB_DAT, R_PPC64_JMP_SLOT], []
      )
    case .ppc: types = (R_PPC_RELATIVE, [R_PPC_ADDR32, R_PPC_GLOB_DAT, R_PPC_JMP_SLOT], [])
    case .loongarch: types = (R_LARCH_RELATIVE, [R_LARCH_32, R_LARCH_64], [R_LARCH_JUMP_SLOT])
    default: types = (0, [], [])
    }
    if type == types.relative {
      self = .relative
    } else if types.symbolic.contains(type) {
      self = .symbolic
    } else if types.symbol.contains(type) {
      self = .symbol
    } else {
      self = .unknown
    }
  }
}
