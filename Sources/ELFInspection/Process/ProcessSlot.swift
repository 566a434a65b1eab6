/// A slot of a process, and what it holds.
package struct ProcessSlot {
  package let slot: FileSlot
  /// The word in the slot.
  package let word: UInt64
  package let state: State
  /// Where it leads, less what the loader has added; nil for NULL, and for the loader's resolver.
  package let target: ProcessTarget?
  /// Where calls jump that bypass the slot, as its PLT entry was rewritten; nil if they read it.
  package var bypass: ProcessTarget?

  /// Where a slot leads.
  package enum State: String, CaseIterable {
    /// To NULL: nothing defines the symbol, or nobody has bound it.
    case null
    /// Through its own image to the loader's resolver: it was not called yet. Or what the file has
    /// there: the loader has yet to relocate the image.
    case unresolved
    /// To a definition of its symbol.
    case original
    /// Elsewhere: somebody has stored something else.
    case rebound
    /// Elsewhere, but as a pointer in writable data, which is the program's to assign.
    case assigned
  }
}
