/// How the loader fills a slot, by the rules of a machine.
///
/// The corresponding field is the type in `r_info`.
public struct RelocationType: Sendable, Hashable {
  /// The processor whose rules these are: `e_machine`.
  public var machine: Machine
  /// The number of the relocation type, as `ELF64_R_TYPE` has it.
  public var rawValue: UInt32

  /// Takes a relocation's type, and the machine of the image that has it.
  public init(machine: Machine, rawValue: UInt32) {
    self.machine = machine
    self.rawValue = rawValue
  }

  /// The constant, `R_*`; nil if it has no name here, but those that fill slots have one.
  public var name: String? {
    switch (machine, rawValue) {
    case (.i386, 1): "R_386_32"
    case (.i386, 6): "R_386_GLOB_DAT"
    case (.i386, 7): "R_386_JMP_SLOT"
    case (.ppc64, 38): "R_PPC64_ADDR64"
    case (.ppc64, 20): "R_PPC64_GLOB_DAT"
    case (.ppc64, 21): "R_PPC64_JMP_SLOT"
    case (.s390, 22): "R_390_64"
    case (.s390, 10): "R_390_GLOB_DAT"
    case (.s390, 11): "R_390_JMP_SLOT"
    case (.arm, 2): "R_ARM_ABS32"
    case (.arm, 21): "R_ARM_GLOB_DAT"
    case (.arm, 22): "R_ARM_JUMP_SLOT"
    case (.amd64, 1): "R_X86_64_64"
    case (.amd64, 6): "R_X86_64_GLOB_DAT"
    case (.amd64, 7): "R_X86_64_JUMP_SLOT"
    case (.aarch64, 257): "R_AARCH64_ABS64"
    case (.aarch64, 1025): "R_AARCH64_GLOB_DAT"
    case (.aarch64, 1026): "R_AARCH64_JUMP_SLOT"
    case (.riscv, 1): "R_RISCV_32"
    case (.riscv, 2): "R_RISCV_64"
    case (.riscv, 5): "R_RISCV_JUMP_SLOT"
    default: nil
    }
  }
}

extension RelocationType: CustomStringConvertible {
  /// The name, or else the machine and the number: `R_X86_64_JUMP_SLOT`.
  public var description: String { name ?? "\(machine) relocation \(rawValue)" }
}
