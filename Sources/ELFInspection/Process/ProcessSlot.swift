/// A slot of a process, and what it holds.
package struct ProcessSlot {
  package let slot: FileSlot
  /// The word in the slot.
  package let word: UInt64
  package let state: State
  /// The place that the slot leads to, without what the loader has added; nil for NULL, and for the
  /// loader's resolver.
  package let target: ProcessTarget?
  /// The target of calls that bypass the slot, because its PLT entry was rewritten; nil if calls
  /// read the slot.
  package var bypass: ProcessTarget?

  /// Where a slot leads.
  package enum State: String, CaseIterable {
    /// The slot holds NULL: nothing defines the symbol, or nobody has bound it.
    case null
    /// The slot leads through its own image to the loader's resolver, because it was not called
    /// yet. Or it holds what the file has there, because the loader has yet to relocate the image.
    case unresolved
    /// The slot leads to a definition of its symbol.
    case original
    /// The slot does not lead to a definition of its symbol: somebody has stored something else.
    case rebound
    /// The same, but the slot is a pointer in writable data, which the program may assign.
    case assigned
  }
}
