/// Something in a process that its files and its loader did not put there.
///
/// Rebind's `AuditFinding` is another type: of slots alone, and in images of the own process.
package struct ProcessFinding {
  package let kind: Kind
  /// Link-time: of the slot or pointer, the symbol's value, the entry, or the range; nil for an image as a whole.
  package var address: UInt64?
  /// Behind the range; nil for what has none.
  package var end: UInt64?
  /// The symbol, and the version that the slot asks for or the symbol has. Changed code and pointers
  /// have the symbol around them here, and tables their tag.
  package var symbol: String?
  package var version: String?
  /// Where it leads.
  package var target: ProcessTarget?
  /// Where the loader would lead it, as far as that is known.
  package var expected: ProcessTarget?

  package init(_ kind: Kind) {
    self.kind = kind
  }

  package enum Kind: String, CaseIterable {
    /// A slot that leads to no definition of its symbol, or to a definition in an image that was
    /// loaded later than the image whose definition the loader takes.
    case reboundSlot = "rebound-slot"
    /// A symbol that is not in memory what it is in the file: what is bound later goes elsewhere.
    case redirectedSymbol = "redirected-symbol"
    /// A table that the loader finds elsewhere than the file has it: a copy, which may lead bindings
    /// elsewhere.
    case redirectedTable = "redirected-table"
    /// A pointer to code, in what is read-only once relocated, that leads elsewhere than the file says.
    case rewrittenPointer = "rewritten-pointer"
    /// An image that the program did not ask for.
    case preloadedImage = "preloaded-image"
    /// An image that the loader asks how it binds symbols, by `LD_AUDIT` or the like.
    case auditingImage = "auditing-image"
    /// A slot that leads to a definition in a preloaded image, which interposes another definition.
    case interposedSlot = "interposed-slot"
    /// An image whose file is gone.
    case deletedFile = "deleted-file"
    /// An image whose path leads to another file now.
    case replacedFile = "replaced-file"
    /// Pages of an image that are writable and executable.
    case writableCode = "writable-code"
    /// Code that is not what the file has there.
    case modifiedCode = "modified-code"
    /// Pages that should be read-only once relocated, and are writable.
    case openRelro = "open-relro"
  }
}
