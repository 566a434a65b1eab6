/// The kinds of relocations that fill slots, as a set.
///
/// The corresponding C type is `crebind_slot_kind`.
public struct SlotKinds: OptionSet, Sendable, Hashable {
  public var rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// A call's slot, bound lazily or at load (`R_*_JUMP_SLOT`).
  public static let jumpSlot = Self(rawValue: 1)
  /// A slot that code loads an address from (`R_*_GLOB_DAT`).
  public static let globDat = Self(rawValue: 2)
  /// A pointer in data (`R_X86_64_64`, `R_AARCH64_ABS64`). RISC-V does not tell it
  /// from a glob dat: asking for one of the two selects both.
  public static let absolute = Self(rawValue: 4)

  /// Every slot.
  public static let all: Self = [.jumpSlot, .globDat, .absolute]
}

extension SlotKinds: CustomStringConvertible {
  /// The words of JSON output: `jumpSlot`, `globDat`, `absolute`.
  public var description: String {
    let names: [(Self, String)] = [
      (.jumpSlot, "jumpSlot"), (.globDat, "globDat"), (.absolute, "absolute"),
    ]
    return names.filter { contains($0.0) }.map(\.1).joined(separator: " ")
  }
}
