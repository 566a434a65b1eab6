package import RebindFiles

/// A library that a file may load with `dlopen`, by a note that its authors left for packagers.
///
/// The note has the owner `FDO` and the type 0x407c0c0a: https://systemd.io/ELF_DLOPEN_METADATA.
package struct DlopenNote {
  /// Empty if the note does not say.
  package let feature: String
  package let description: String
  /// `required`, `suggested` or `recommended`, which stands for one that the note does not state.
  package let priority: String
  /// The names that are tried, in their order; never empty.
  package let sonames: [String]

  /// The entries of all notes of a file that are such notes.
  package static func all(in notes: [FileNote]) -> [DlopenNote] {
    notes.flatMap { note -> [DlopenNote] in
      guard note.owner == "FDO", note.type == 0x407c_0c0a, case .text(let text)? = note.content
      else { return [] }
      return all(in: text)
    }
  }

  /// The entries of a note's text; empty if it is no such JSON.
  static func all(in text: String) -> [DlopenNote] {
    var reader = JSONReader(text)
    guard case .list(let entries)? = reader.document() else { return [] }
    return entries.compactMap { entry in
      guard case .object(let members) = entry else { return nil }
      let sonames = members["soname"]?.strings ?? []
      if sonames.isEmpty { return nil }
      return DlopenNote(
        feature: members["feature"]?.strings.first ?? "",
        description: members["description"]?.strings.first ?? "",
        priority: members["priority"]?.strings.first ?? "recommended", sonames: sonames)
    }
  }
}

extension ELFFile {
  /// The libraries that the file's notes say it may load.
  package var dlopenNotes: [DlopenNote] {
    get throws(ELFFileError) {
      DlopenNote.all(in: try notes)
    }
  }
}
