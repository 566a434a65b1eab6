public import Rebind

extension ELFFile {
  /// The entries for the loader, with the names that they lead to; nil for a file without a dynamic
  /// table, such as a relocatable file or a static program.
  ///
  /// Section headers are not needed.
  ///
  /// - Throws: `ELFFileError` if the table, or a name of it, is not inside the file.
  /// - Complexity: O(entries).
  ///
  /// The corresponding segment is `PT_DYNAMIC`.
  public var dynamicTable: DynamicTable? {
    get throws(ELFFileError) {
      guard let entries = try DynamicEntries(of: self) else { return nil }
      return DynamicTable(entries: try entries.all(of: self))
    }
  }
}

extension DynamicTag {
  /// True if the value is the offset of a string.
  var namesString: Bool {
    switch self {
    case .needed, .soname, .rpath, .runPath, .auxiliary, .filter: true
    // DT_CONFIG, DT_DEPAUDIT, DT_AUDIT.
    default: (0x6fff_fefa...0x6fff_fefc).contains(rawValue)
    }
  }
}

extension DynamicTable {
  /// True if names are bound inside the image first. The corresponding tag is `DT_SYMBOLIC`.
  package var isSymbolic: Bool { self[.symbolic] != nil || flags.contains(.symbolic) }
}
