import Rebind
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
    for file in [self, other] {
      try file.checkIsNoCore()
      if file.isDebugFile {
        throw file.reader.error(
          .unsupported("has only debug information"), field: nil, at: nil)
      }
    }
    let before = try FileFacts(of: self, kinds).facts
    let after = try FileFacts(of: other, kinds).facts
    var changes: [FileChange] = []
    for kind in FileChange.Kind.allCases {
      let (old, new) = (before[kind] ?? [:], after[kind] ?? [:])
      for name in Set(old.keys).union(new.keys).sorted() where old[name] != new[name] {
        changes.append(
          FileChange(kind: kind, name: name, before: old[name], after: new[name]))
      }
      if kind == .neededOrder, kinds.contains(kind) {
        changes += try changesOfOrder(to: other)
      }
    }
    return changes
  }

  private func changesOfOrder(to other: ELFFile) throws(ELFFileError) -> [FileChange] {
    let (old, new) = (try dynamicTable?.needed ?? [], try other.dynamicTable?.needed ?? [])
    let common = Set(old).intersection(new)
    let (before, after) = (old.filter(common.contains), new.filter(common.contains))
    guard before != after else { return [] }
    return [
      FileChange(
        kind: .neededOrder, name: "order", before: before.joined(separator: " "),
        after: after.joined(separator: " "))
    ]
  }
}
