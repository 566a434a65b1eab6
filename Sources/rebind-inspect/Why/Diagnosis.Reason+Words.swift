#if Commands

import ELFInspection
import Rebind
import RebindFiles

extension Diagnosis.Reason {
  /// The word that the outputs have for it.
  var code: String {
    switch self {
    case .dlopen: "dlopen"
    case .dlopenMissing: "dlopen-missing"
    default: word
    }
  }

  /// The meaning as a sentence: for a file that nothing has loaded, or for an image.
  func meaning(in detail: String, of what: String) -> String {
    switch self {
    case .dlopenMissing where what == "image":
      "images of the process may load these with dlopen. They have not, and these may define it"
    case .dlopenMissing:
      "the \(what) or a library of it may load these with dlopen. They cannot be read, and may define it"
    case .notDefined where what == "image" && detail.isEmpty:
      meaning(of: "process", outside: what)
    default: meaning(of: detail, outside: what)
    }
  }
}

extension DlopenDefinition {
  /// The meaning of the reason `dlopen` as a sentence.
  var meaning: String {
    let loader = isOwn ? "the file" : image.lastComponent
    return "\(loader) may load this library with dlopen (\(priority)), and it defines the symbol: "
      + "calls of a pointer from dlsym go through no slot"
  }
}

#endif
