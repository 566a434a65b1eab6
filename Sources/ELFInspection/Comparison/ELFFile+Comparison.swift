package import RebindFiles

extension ELFFile {
  /// The differences between this file and another, by kind and name.
  ///
  /// Object files are compared by the symbols that linkers see.
  ///
  /// - Throws: `ELFFileError` if one of them contradicts itself, or is no image: a core file, or what
  ///   was split from one.
  /// - Complexity: O(*n* log *n*), where *n* is the number of symbols and relocations of both.
  package func changes(
    to other: ELFFile, of kinds: Set<FileChange.Kind> = Set(FileChange.Kind.allCases)
  ) throws(ELFFileError) -> [FileChange] {
    try FileFacts(of: self, kinds).changes(to: FileFacts(of: other, kinds), of: kinds)
  }
}

extension FileFacts {
  /// The differences between these facts and another file's.
  package func changes(to other: Self, of kinds: Set<FileChange.Kind>) -> [FileChange] {
    let exports = Exports(other.facts[.export] ?? [:])
    var changes: [FileChange] = []
    for kind in FileChange.Kind.allCases where kinds.contains(kind) {
      let (old, new) =
        kind == .neededOrder
        ? commonOrders(with: other) : (facts[kind] ?? [:], other.facts[kind] ?? [:])
      for name in Set(old.keys).union(new.keys).sorted() where old[name] != new[name] {
        changes.append(
          FileChange(
            kind: kind, name: name.string, before: old[name]?.string, after: new[name]?.string,
            effect: FileChange.Effect(
              of: kind, name.string, old[name]?.string, new[name]?.string, exports)))
      }
    }
    return changes
  }

  /// The orders of the libraries that both files need.
  private func commonOrders(
    with other: Self
  ) -> ([ExactText: ExactText], [ExactText: ExactText]) {
    let (old, new) = (neededLibraries, other.neededLibraries)
    let common = Set(old).intersection(new)
    func order(_ names: [String]) -> [ExactText: ExactText] {
      Self.byName(Self.order(names.filter(common.contains)))
    }
    return (order(old), order(new))
  }
}
