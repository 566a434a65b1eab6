package import Rebind
import RebindFiles

/// A slot of a file: what its relocation says, and how the loader treats it.
///
/// Rebind's `Slot` is another type, with the names of its symbol and version. A file has up to
/// hundreds of thousands of slots, and a String for each takes longer than all else.
package struct FileSlot {
  /// The link-time address of the word.
  package let address: UInt64
  package let kind: SlotKinds
  /// The index of its symbol.
  package let symbol: Int
  /// The addend of its relocation, even if the loader ignores it. Nil if it is not known: a REL
  /// table's is the word in place, which is an addend for a pointer in data alone.
  package let addend: Int64?
  /// The number that the loader adds to the symbol's address: the addend, or 0 where it ignores
  /// that. Nil if it is not known.
  package let added: Int64?
  /// True if the loader binds it at the first call.
  package let isLazy: Bool
  /// True if it lies in the `PT_GNU_RELRO` range, which is read-only once relocated.
  package let isRelro: Bool
  /// True if its page has to be made writable to store in it.
  package let isProtected: Bool
  /// True if its relocation is packed, so that glibc and musl leave the word as the file has it.
  package let isPacked: Bool

  @inlinable
  package init(
    address: UInt64, kind: SlotKinds, symbol: Int, addend: Int64?, added: Int64?, isLazy: Bool,
    isRelro: Bool, isProtected: Bool, isPacked: Bool
  ) {
    self.address = address
    self.kind = kind
    self.symbol = symbol
    self.addend = addend
    self.added = added
    self.isLazy = isLazy
    self.isRelro = isRelro
    self.isProtected = isProtected
    self.isPacked = isPacked
  }
}

extension SlotTypes {
  /// True if a slot is a pointer in data, and not one that code loads from.
  func isInData(_ slot: FileSlot) -> Bool {
    slot.kind == .absolute && type(of: .globDat) != nil && (slot.isRelro || !slot.isProtected)
  }
}
