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

  /// The name that shows all of `sonames`.
  package var name: String { sonames.joined(separator: "|") }
}

/// The notes of a file about libraries that it may load with `dlopen`.
package struct DlopenNotes {
  /// The entries of all notes that are such notes.
  package private(set) var entries: [DlopenNote] = []
  /// The parts that cannot be read and are left out, a line each.
  package private(set) var problems: [String] = []

  package init(of notes: [FileNote]) {
    for note in notes where note.owner == "FDO" && note.type == 0x407c_0c0a {
      let place = note.section.map { "in \($0)" } ?? "at 0x" + String(note.offset, radix: 16)
      guard case .text(let text)? = note.content else {
        problems.append("the note of dlopen \(place) is no text, and is left out")
        continue
      }
      if let fault = read(text) { problems.append("the note of dlopen \(place) \(fault)") }
    }
  }

  /// The notes of a file, or a problem if they are broken.
  package init(of file: ELFFile) {
    do throws(ELFFileError) {
      self = Self(of: try file.notes)
    } catch {
      self.init(of: [])
      problems = [error.message]
    }
  }

  /// Reads the entries of a note's text. Returns its fault; nil for none.
  private mutating func read(_ text: String) -> String? {
    var reader = JSONReader(text)
    guard let document = reader.document() else { return "is no JSON, and is left out" }
    guard case .list(let list) = document else { return "is no list of JSON, and is left out" }
    var hasNameless = false
    for entry in list {
      var members: [String: JSONValue] = [:]
      if case .object(let found) = entry { members = found }
      let sonames = (members["soname"]?.strings ?? []).filter { !$0.isEmpty }
      if sonames.isEmpty {
        hasNameless = true
        continue
      }
      entries.append(
        DlopenNote(
          feature: members["feature"]?.strings.first ?? "",
          description: members["description"]?.strings.first ?? "",
          priority: members["priority"]?.strings.first ?? "recommended", sonames: sonames))
    }
    return hasNameless ? "has an entry without a soname, which is left out" : nil
  }
}
