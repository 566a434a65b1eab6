#if Commands

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

#endif
