#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebind

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
    // A machine may have other types where addresses are shorter.
    for bits: Int32 in [64, 32] {
      guard let known = crebind_machine_with(Int32(machine.rawValue), bits)?.pointee else {
        continue
      }
      let names = [
        (known.jump_slot, known.jump_slot_name), (known.glob_dat, known.glob_dat_name),
        (known.absolute, known.absolute_name),
      ]
      if case let (_, name?)? = names.first(where: { Int64($0.0) == Int64(rawValue) }) {
        return String(cString: known.prefix) + String(cString: name)
      }
    }
    return nil
  }
}

extension RelocationType: CustomStringConvertible {
  /// The name, or else the machine and the number: `R_X86_64_JUMP_SLOT`.
  public var description: String { name ?? "\(machine) relocation \(rawValue)" }
}
#endif
