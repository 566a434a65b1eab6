/// Something that two files do not have in common, or a file and an image of a process.
package struct FileChange: Sendable, Hashable {
  /// The kind of fact that differs.
  package let kind: Kind
  /// The symbol, library, version or property.
  package let name: String
  /// The first file's text for it; nil if that file does not have it.
  package let before: String?
  /// The second file's text for it; nil if that file does not have it.
  package let after: String?

  /// The effect on those who call the file's functions.
  package let effect: Effect

  /// The kinds of facts that are compared.
  package enum Kind: String, CaseIterable, Sendable {
    /// Class, byte order, machine and type.
    case header
    case buildID = "build-id"
    /// The path of the loader.
    case interpreter
    case soname
    case needed
    /// The order of what both need, in which symbols are looked up.
    case neededOrder = "needed-order"
    /// `DT_RPATH` and `DT_RUNPATH`.
    case searchPath = "search-path"
    case definedVersion = "defined-version"
    case neededVersion = "needed-version"
    case export
    /// An export of an image that is not in memory what it is in the image's file.
    case exportValue = "export-value"
    case `import`
    /// How many slots a symbol has.
    case slot
    /// A slot of an image that leads to no definition of its symbol.
    case slotValue = "slot-value"
    case hardening
  }
}
