package import Rebind

/// The relocations of a machine that fill slots.
package struct SlotTypes {
  let machine: Machine
  @usableFromInline package let jumpSlot: UInt32
  @usableFromInline package let globDat: UInt32
  @usableFromInline package let absolute: UInt32
  /// The type that has the loader copy a library's data into a program.
  package let copy: UInt32

  /// - Parameter elfClass: The width of addresses: a shorter word is no slot.
  package init(of machine: Machine, _ elfClass: ELFClass) {
    self.machine = machine
    let is64 = elfClass == .bits64
    (jumpSlot, globDat, absolute, copy) =
      switch machine {
      case .amd64: (7, 6, is64 ? 1 : 10, 5)
      case .i386: (7, 6, 1, 5)
      case .aarch64: is64 ? (1026, 1025, 257, 1024) : (182, 181, 1, 180)
      case .arm: (22, 21, 2, 20)
      // Words that code loads from and pointers in data have one type.
      case .riscv, .loongarch: (5, Self.none, is64 ? 2 : 1, 4)
      case .s390: (11, 10, is64 ? 22 : 4, 9)
      case .ppc64: (21, 20, 38, 19)
      case .ppc: (21, 20, 1, 19)
      // R_MIPS_REL32, with R_MIPS_64 behind it where addresses have 64 bits.
      case .mips: (127, 51, is64 ? 3 | 18 << 8 : 3, 126)
      case .m68k: (21, 20, 1, 19)
      case .alpha: (26, 25, 2, 24)
      case .superH: (164, 163, 1, 162)
      case _ where Machine.sparcs.contains(machine): (21, 20, is64 ? 32 : 3, 19)
      default: (Self.none, Self.none, Self.none, Self.none)
      }
  }

  /// False for a machine of which nothing is known here.
  package var isKnown: Bool { absolute != Self.none }

  /// The kind of slot that a relocation of a type fills; nil if it fills none. A type that may be
  /// for data is `absolute`.
  @inlinable
  package func kind(of type: UInt32) -> SlotKinds? {
    if type == jumpSlot { return .jumpSlot }
    if type == globDat { return .globDat }
    return type == absolute ? .absolute : nil
  }

  /// The relocation type of a kind; nil if the machine has none.
  package func type(of kind: SlotKinds) -> UInt32? {
    let type =
      switch kind {
      case .jumpSlot: jumpSlot
      case .globDat: globDat
      default: absolute
      }
    return type == Self.none ? nil : type
  }

  private static var none: UInt32 { .max }
}

extension SlotTypes {
  /// True if the loader adds the addend of a slot's relocation to the function's address.
  ///
  /// musl's `do_relocs` does in any case. glibc's `elf_machine_rela` (at load) and
  /// `elf_machine_plt_value` (at the first call) do so on the machines whose jump slots and glob
  /// dats can have addends. On x86-64 `ld -z mark-plt` writes some that mean something else.
  package func addsAddend(of kind: SlotKinds, isLazy: Bool, _ loader: LoaderKind) -> Bool {
    if kind == .absolute || loader == .musl { return true }
    return switch machine {
    case .amd64: false
    case .aarch64, .riscv, .s390: !isLazy
    default: true
    }
  }
}
