#if Commands

import ELFInspection
import Rebind
import RebindFiles

/// What `why` found in a file, or in an image of a process.
struct WhyReport: ReportBody {
  let subject: ReportSubject
  let symbol: SoughtSymbol
  let diagnoses: [FileDiagnosis]
  /// Libraries that could not be read, a line each.
  var problems: [String] = []
  /// Where the image is; nil for a file.
  var process: (pid: Int32, loadBias: UInt64)?
  /// The symbol's slots and what they hold; nil for a file, or if the image has none at all.
  var slots: ProcessSlotReport?

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    var table = TextTable([
      .init(title: "REASON"), .init(title: "DETAIL"), .init(title: "SLOTS", isRight: true),
      .init(title: "MEANING", isLine: true),
    ])
    for diagnosis in diagnoses {
      table.append([
        diagnosis.reason.code, diagnosis.detail, String(diagnosis.slotCount),
        meaning(of: diagnosis),
      ])
    }
    for slot in slots?.found.slots ?? [] {
      table.append(["slot", slot.state.rawValue, "1", slot.meaning])
    }
    table.write(style, in: &output)
  }

  func writeJSON(separator: StaticString, in output: inout OutputBuffer) {
    output.append(key: "symbol", text: symbol.name)
    output.append(key: "version", text: symbol.version)
    output.append(key: "library", text: symbol.library)
    output.append(key: "isSeen", isSeen)
    output.append(text: ",\"reasons\":[")
    var isFirst = true
    for diagnosis in diagnoses {
      output.begin(isFirst: &isFirst, separator)
      output.append(text: "{\"reason\":\"\(diagnosis.reason.code)\"")
      output.append(key: "detail", text: diagnosis.detail.isEmpty ? nil : diagnosis.detail)
      output.append(key: "slots", number: diagnosis.slotCount)
      output.append(key: "message", text: meaning(of: diagnosis))
      output.append(text: "}")
    }
    output.append(text: "]")
    if let slots {
      slots.writeJSON(separator: separator, in: &output)
    } else if let process {
      output.append(key: "pid", number: process.pid)
      output.append(key: "loadBias", hex: process.loadBias)
      output.append(text: ",\"slots\":[]")
    }
  }

  /// True if calls go through slots that can be changed.
  private var isSeen: Bool {
    func slots(_ reason: Diagnosis.Reason) -> Int? {
      diagnoses.first { $0.reason == reason }?.slotCount
    }
    return slots(.hasSlots).map { $0 > slots(.bypassed) ?? 0 } ?? false
  }

  private func meaning(of diagnosis: FileDiagnosis) -> String {
    diagnosis.reason.meaning(in: diagnosis.detail, of: process == nil ? "file" : "image")
  }
}

extension WhyReport {
  init(
    of image: LoadedImage, pid: Int32, _ symbol: SoughtSymbol, _ found: ProcessDiagnosis
  ) throws(ELFFileError) {
    self.init(
      subject: ReportSubject(image.image), symbol: symbol, diagnoses: found.diagnoses,
      process: (pid, image.image.loadBias),
      slots: try found.slots.map { slots throws(ELFFileError) in
        try ProcessSlotReport(of: image, pid: pid, slots)
      })
  }
}

extension ProcessSlot {
  /// `jumpSlot at 0x4018 leads to /lib/libc.so.6:open`.
  fileprivate var meaning: String {
    let kind =
      switch slot.kind {
      case .jumpSlot: "jumpSlot"
      case .globDat: "globDat"
      default: "absolute"
      }
    let leads =
      switch state {
      case .null: "holds NULL"
      case .unresolved: "is bound at its first call"
      default: "leads to \(target?.text ?? hexadecimal(word))"
      }
    let passed = bypass.map { ", but calls pass it by and jump to \($0.text)" } ?? ""
    return "\(kind) at \(hexadecimal(slot.address)) \(leads)\(passed)"
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
    case .bypassed: "bypassed"
    case .sealed: "sealed"
    default: "unknown"
    }
  }

  /// What it means as a sentence: for a file that nothing has loaded, or for an image.
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
        "the \(what) has it for itself alone, and reaches it without a slot"
      case "protected", "-Bsymbolic":
        "the \(what) defines it and binds its own calls inside: linked \(detail)"
      case "copied":
        "the \(what) has a copy of this data of a library, and reaches it without a slot"
      default: "the \(what) defines it, and reaches it without a slot if at all"
      }
    case .otherName: "calls of it may go by this name, which the \(what) imports: rebind that too"
    case .otherVersion: "the \(what) imports another version of it"
    case .otherLibrary: "the \(what) is bound to another library's definition"
    case .notDefined:
      what == "file"
        ? "none of its libraries defines it: what does is loaded apart from them, if at all"
        : "none of its process's images defines it: what does is loaded later, if at all"
    case .unchangeable:
      switch detail {
      case "weak": "the \(what) asks for it, but nothing defines it, and its slots stay NULL"
      case "null": "the \(what) asks for it, but its slots are NULL"
      case "assigned": "the program has put another pointer in its place"
      case "loader": "a rebinding leaves the loader alone"
      default: "the \(what) asks for it, but has no slot that can be changed"
      }
    case .bypassed:
      "calls pass slots by: glibc has rewritten the PLT, unless glibc.cpu.plt_rewrite is 0"
    case .sealed where detail == "requested":
      "the \(what) asks for its pages to be sealed: from glibc 2.43 on no rebinding changes these slots"
    case .sealed:
      "the slots lie in pages that are sealed, which no rebinding can change"
    default: description
    }
  }
}

#endif
