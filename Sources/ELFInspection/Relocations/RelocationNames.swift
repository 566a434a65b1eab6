package import Rebind
import RebindFiles

/// How the relocation types of a machine are called, such as `R_X86_64_JUMP_SLOT`.
package struct RelocationNames {
  /// `R_X86_64_`; nil for a machine that is not known here.
  package let prefix: StaticString?
  private let text: UnsafeBufferPointer<UInt8>
  /// Where the name of each type is in the text; empty for a type without one.
  private var places: [Range<Int>] = []

  /// The names for a machine. Cheap: a pass over one text.
  package init(of machine: Machine) {
    guard let (prefix, names) = Self.lists(of: machine) else {
      prefix = nil
      text = UnsafeBufferPointer(start: nil, count: 0)
      return
    }
    self.prefix = prefix
    text = UnsafeBufferPointer(start: names.utf8Start, count: names.utf8CodeUnitCount)
    var start = 0
    for index in 0...text.count where index == text.count || text[index] == 0x20 {
      if text[start] == 0x3d {
        let type = text[start + 1..<index].reduce(0) { 10 * $0 + Int($1 - 0x30) }
        places += Array(repeating: 0..<0, count: type - places.count)
      } else {
        places.append(start..<index)
      }
      start = index + 1
    }
  }

  /// The name without the prefix, as ASCII; nil if the type has none.
  ///
  /// - Complexity: O(1).
  package func bytes(of type: UInt32) -> UnsafeRawBufferPointer? {
    guard type < places.count, !places[Int(type)].isEmpty else { return nil }
    return UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: text[places[Int(type)]]))
  }

  /// The name with the prefix; of up to three types, as MIPS has them in one relocation, with
  /// slashes between them.
  package func text(of type: UInt32) -> [UInt8] {
    if type > 0xffff || bytes(of: type) == nil, type > 0xff {
      return text(of: type & 0xff) + Array("/".utf8) + text(of: type >> 8)
    }
    guard let prefix, let name = bytes(of: type) else { return Array("UNKNOWN+\(type)".utf8) }
    return Array("\(prefix)".utf8) + Array(name)
  }

  private static func lists(
    of machine: Machine
  ) -> (prefix: StaticString, names: StaticString)? {
    switch machine {
    case .amd64: ("R_X86_64_", RelocationNameLists.amd64)
    case .i386: ("R_386_", RelocationNameLists.i386)
    case .aarch64: ("R_AARCH64_", RelocationNameLists.aarch64)
    case .arm: ("R_ARM_", RelocationNameLists.arm)
    case .riscv: ("R_RISCV_", RelocationNameLists.riscv)
    case .s390: ("R_390_", RelocationNameLists.s390)
    case .ppc64: ("R_PPC64_", RelocationNameLists.ppc64)
    case .ppc: ("R_PPC_", RelocationNameLists.ppc)
    case .loongarch: ("R_LARCH_", RelocationNameLists.loongarch)
    case .mips: ("R_MIPS_", RelocationNameLists.mips)
    case .m68k: ("R_68K_", RelocationNameLists.m68k)
    case .alpha: ("R_ALPHA_", RelocationNameLists.alpha)
    case .hppa: ("R_PARISC_", RelocationNameLists.hppa)
    case .superH: ("R_SH_", RelocationNameLists.superH)
    case .ia64: ("R_IA64_", RelocationNameLists.ia64)
    case .bpf: ("R_BPF_", RelocationNameLists.bpf)
    case _ where Machine.arcs.contains(machine): ("R_ARC_", RelocationNameLists.arc)
    case _ where Machine.sparcs.contains(machine): ("R_SPARC_", RelocationNameLists.sparc)
    default: nil
    }
  }
}
