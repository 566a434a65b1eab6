#if Commands

import ELFInspection
import Rebind
import RebindFiles

extension Diagnosis.Reason {
  /// The word that the outputs have for it.
  var code: String {
    switch self {
    case .hasSlots: "has-slots"
    case .notImported: "not-imported"
    case .boundInside: "bound-inside"
    case .otherName: "other-name"
    case .otherVersion: "other-version"
    case .otherLibrary: "other-library"
    case .notDefined: "not-defined"
    case .staticExecutable: "static-executable"
    case .unchangeable: "unchangeable"
    case .bypassed: "bypassed"
    case .sealed: "sealed"
    case .mayBeInside: "may-be-inside"
    case .similarName: "similar-name"
    case .dlopen: "dlopen"
    case .dlopenMissing: "dlopen-missing"
    default: "unknown"
    }
  }

  /// The meaning as a sentence: for a file that nothing has loaded, or for an image.
  func meaning(in detail: String, of what: String) -> String {
    switch self {
    case .hasSlots where detail == "data":
      "pointers in data lead to it, which a rebinding changes: only calls through these are seen"
    case .hasSlots:
      "calls go through slots, which a rebinding changes"
    case .notImported:
      "the \(what) does not import it: no call, or the compiler has put other code in its place"
    case .boundInside:
      switch detail {
      case "hidden", "local", "unexported":
        "the \(what) has it for itself alone: its calls of it, if it makes any, go through no slot"
      case "protected", "-Bsymbolic":
        "the \(what) defines it, linked \(detail): its own calls, if any, go through no slot"
      case "sanitizer":
        "a sanitizer defines it in the \(what), whose own calls go through no slot"
      case "data":
        "the \(what) has data of that name, which no call reaches"
      case "copied":
        "the \(what) has a copy of this data of a library, and reaches it without a slot"
      default: "the \(what) defines it: its own calls, if it makes any, go through no slot"
      }
    case .otherName: "calls of it may go by this name, which the \(what) imports: rebind that too"
    case .otherVersion: "the \(what) imports another version of it"
    case .otherLibrary: "the \(what) is bound to another library's definition"
    case .notDefined where detail == "version":
      "the \(what) exports it, but not in the version that was asked for"
    case .notDefined where detail == "library":
      "the \(what) exports it, but another library was asked for"
    case .notDefined:
      what == "file"
        ? "none of its libraries defines it; another image may, if one is loaded"
        : "no image of the process defines it yet"
    case .mayBeInside:
      detail == "stripped"
        ? "the \(what) may have it for itself alone, but is stripped of its symbols"
        : "the \(what) may have it for itself alone, but has no file that tells"
    case .similarName: "nothing has this name; a similar one is exported"
    case .dlopenMissing where what == "image":
      "images of the process may load these with dlopen. They have not, and these may define it"
    case .dlopenMissing:
      "the \(what) or a library of it may load these with dlopen. They cannot be read, and may define it"
    case .unchangeable:
      switch detail {
      case "weak": "the \(what) asks for it, but nothing defines it, and its slots stay NULL"
      case "undefined": "the \(what) asks for it, but nothing defines it: a call ends the program"
      case "null": "the \(what) asks for it, but its slots are NULL"
      case "assigned": "the program has put another pointer in its place"
      case "unfilled": "its relocation is packed for Android, and the loader does not fill the slot"
      case "loader": "a rebinding leaves the loader alone"
      default: "the \(what) asks for it, but has no slot that can be changed"
      }
    case .bypassed where detail == "possible":
      """
      calls may bypass the slots: glibc from 2.39 on rewrites this PLT if \
      glibc.cpu.plt_rewrite says so
      """
    case .bypassed:
      "calls bypass the slots: glibc has rewritten the PLT; set glibc.cpu.plt_rewrite=0"
    case .sealed where detail == "requested":
      "the \(what) asks for its pages to be sealed: from glibc 2.43 on no rebinding changes these slots"
    case .sealed:
      "the slots lie in pages that are sealed, which no rebinding can change"
    default: description
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
