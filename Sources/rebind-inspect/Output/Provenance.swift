import Rebind

extension Section.Provenance {
  /// The word that the JSON has for it.
  var code: String {
    switch self {
    case .note: "note"
    case .file: "section-header"
    case .memory: "memory"
    }
  }
}

extension OutputBuffer {
  /// Writes what goes in front of an element of a list.
  mutating func begin(isFirst: inout Bool, _ separator: StaticString) {
    if !isFirst { append(text: ",") }
    isFirst = false
    append(text: "\(separator)")
  }
}
