import Rebind
import RebindFiles

/// What `why` found in a file.
struct WhyReport: ReportBody {
  let subject: ReportSubject
  let symbol: SoughtSymbol
  let diagnoses: [FileDiagnosis]
  /// Libraries that could not be read, a line each.
  var problems: [String] = []

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    var table = TextTable([
      .init(title: "REASON"), .init(title: "DETAIL"), .init(title: "SLOTS", isRight: true),
      .init(title: "MEANING", isLine: true),
    ])
    for diagnosis in diagnoses {
      table.append([
        diagnosis.reason.code, diagnosis.detail, String(diagnosis.slotCount),
        diagnosis.reason.meaning(in: diagnosis.detail),
      ])
    }
    table.write(style, in: &output)
  }

  func writeJSON(separator: StaticString, in output: inout OutputBuffer) {
    output.append(key: "symbol", text: symbol.name)
    output.append(key: "version", text: symbol.version)
    output.append(key: "library", text: symbol.library)
    output.append(key: "isSeen", diagnoses.contains { $0.reason == .hasSlots })
    output.append(text: ",\"reasons\":[")
    var isFirst = true
    for diagnosis in diagnoses {
      output.begin(isFirst: &isFirst, separator)
      output.append(text: "{\"reason\":\"\(diagnosis.reason.code)\"")
      output.append(key: "detail", text: diagnosis.detail.isEmpty ? nil : diagnosis.detail)
      output.append(key: "slots", number: diagnosis.slotCount)
      output.append(key: "message", text: diagnosis.reason.meaning(in: diagnosis.detail))
      output.append(text: "}")
    }
    output.append(text: "]")
  }
}

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
    case .notInScope: "not-in-scope"
    case .notDefined: "not-defined"
    case .staticExecutable: "static-executable"
    case .unchangeable: "unchangeable"
    default: "unknown"
    }
  }

  /// What it means for a file that nothing has loaded, as a sentence.
  func meaning(in detail: String) -> String {
    switch self {
    case .hasSlots:
      "calls go through slots, which a rebinding changes"
    case .notImported:
      "the file does not import it: no call, or the compiler has put other code in its place"
    case .boundInside:
      switch detail {
      case "hidden": "the file has it for itself alone, and calls it without a slot"
      case "protected", "-Bsymbolic":
        "the file defines it and binds its own calls inside: linked \(detail)"
      default: "the file defines it, and calls it without a slot if at all"
      }
    case .otherName: "the file imports another name of the function: rebind that too"
    case .otherVersion: "the file imports another version of it"
    case .otherLibrary: "the file is bound to another library's definition"
    case .notDefined: "none of its libraries defines it: what does is loaded later, if at all"
    case .unchangeable: "the file asks for it, but has no slot that can be changed"
    default: description
    }
  }
}
