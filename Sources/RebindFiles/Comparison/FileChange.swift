/// Something that two files do not have in common.
package struct FileChange: Sendable, Hashable {
  /// What it is that differs.
  package let kind: Kind
  /// The symbol, library, version or property.
  package let name: String
  /// What the first file says of it; nil if it does not have it.
  package let before: String?
  /// What the second file says of it; nil if it does not have it.
  package let after: String?

  /// What two files are compared by.
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
    case `import`
    /// The relocations that name a symbol.
    case slot
    case hardening
  }
}
