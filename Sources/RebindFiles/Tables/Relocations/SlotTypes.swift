internal import CRebind
package import Rebind

/// The relocations of a machine that fill slots.
package struct SlotTypes {
  @usableFromInline package let jumpSlot: UInt32
  @usableFromInline package let globDat: UInt32
  @usableFromInline package let absolute: UInt32
  /// The type that has the loader copy a library's data into a program.
  package let copy: UInt32

  private let addends: crebind_addends

  /// - Parameter elfClass: The width of addresses: a shorter word is no slot.
  package init(of machine: Machine, _ elfClass: ELFClass) {
    let known = crebind_machine_with(
      Int32(machine.rawValue), elfClass == .bits64 ? 64 : 32)?.pointee
    func type(_ number: Int32?) -> UInt32 { number.flatMap(UInt32.init(exactly:)) ?? Self.none }
    jumpSlot = type(known?.jump_slot)
    globDat = type(known?.glob_dat)
    absolute = type(known?.absolute)
    copy = type(known?.copy)
    addends = known?.addends ?? CREBIND_ADDENDS_ADDED
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
  /// musl's `do_relocs` does in any case, and glibc as `crebind_addends` says.
  package func addsAddend(of kind: SlotKinds, isLazy: Bool, _ loader: LoaderKind) -> Bool {
    if kind == .absolute || loader == .musl { return true }
    return switch addends {
    case CREBIND_ADDENDS_IGNORED: false
    case CREBIND_ADDENDS_ADDED_AT_LOAD: !isLazy
    default: true
    }
  }
}
