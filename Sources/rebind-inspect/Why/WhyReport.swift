#if Commands

import ELFInspection
import Rebind
import RebindFiles

/// The output of `why` for a file, or for an image of a process.
struct WhyReport: TableBody {
  let subject: ReportSubject
  let symbol: SoughtSymbol
  let diagnoses: [FileDiagnosis]
  /// Libraries that could not be read, a line each.
  var problems: [String] = []
  /// True if the symbol was found by its readable name.
  var isReadable = false
  /// Where the image is; nil for a file.
  var process: (pid: Int32, loadBias: UInt64)?
  /// The symbol's slots and what they hold; nil for a file, or if the image has none at all.
  var slots: ProcessSlotReport?

  static let listing = Listing<Self>(
    "diagnosis", of: "the file",
    [
      Field("symbol", .name, "the symbol that was asked about") { .text($0.symbol.name) },
      Field("demangledName", .name.orNull, "the readable name of a mangled one; else `null`") {
        .text($0.symbol.demangledName)
      },
      Field("version", .text.orNull, "the version that was asked about; `null` for any") {
        .text($0.symbol.version)
      },
      Field("library", .text.orNull, "the library that was asked about; `null` for any") {
        .text($0.symbol.library)
      },
      Field(
        "isSeen", .bool, "true if a rebinding would see the file's calls, or some of them"
      ) { .bool($0.isSeen) },
      Field(
        "reasons", .list(ReasonRow.listing.record, atLeast: 1),
        "the answer, and the other reasons"
      ) { .list(ReasonRow.listing, $0.rows) },
      .pid { $0.process?.pid },
      .loadBias { $0.process?.loadBias },
      Field(
        "slots", .list(SlotListing.record), "the slots of the symbol, as for `slots`",
        when: .ofProcess
      ) { report in
        guard let slots = report.slots else {
          return report.process == nil ? nil : .nested { output, _ in output.append(text: "[]") }
        }
        return .nested { slots.writeSlots(separator: $1, in: &$0) }
      },
    ])

  static var rowListing: Listing<ReasonRow> { ReasonRow.rowListing }

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    var table = ReasonRow.listing.table()
    if isReadable, let readable = symbol.demangledName {
      table.append(["symbol", symbol.name, "-", readable])
    }
    for row in rows { table.append(ReasonRow.listing.cells(row)) }
    for slot in slots?.found.slots ?? [] {
      table.append(["slot", slot.state.rawValue, "1", slot.meaning])
    }
    table.write(style, in: &output)
  }

  var rows: [ReasonRow] {
    let owner = process == nil ? "file" : "image"
    let readable = symbol.demangledName
    return diagnoses.map { diagnosis in
      ReasonRow(
        symbol: symbol, demangledName: readable, diagnosis: diagnosis,
        meaning: diagnosis.dlopen?.meaning
          ?? diagnosis.reason.meaning(in: diagnosis.detail, of: owner))
    }
  }

  /// True if calls go through slots that can be changed.
  private var isSeen: Bool {
    func slots(_ reason: Diagnosis.Reason) -> Int? {
      diagnoses.first { $0.reason == reason && $0.detail != "possible" }?.slotCount
    }
    return slots(.hasSlots).map { $0 > slots(.bypassed) ?? 0 } ?? false
  }
}

/// A reason, and its meaning as a sentence.
struct ReasonRow {
  let symbol: SoughtSymbol
  let demangledName: String?
  let diagnosis: FileDiagnosis
  let meaning: String

  static let listing = Listing<Self>("reason", of: "a reason", fields)

  /// In a table, where a run has reasons of several symbols.
  static let rowListing = Listing<Self>(
    "reasonRow", of: "a row",
    [
      Field("symbol", .name, "the symbol that was asked about") { .text($0.symbol.name) },
      Field("version", .text.orNull, "the version that was asked about; `null` for any") {
        .text($0.symbol.version)
      },
      Field("demangledName", .name.orNull, "the readable name of a mangled one; else `null`") {
        .text($0.demangledName)
      },
    ] + fields)

  private static var fields: [Field<Self>] {
    [
      Field(
        "reason",
        Column(
          "REASON",
          "one of the reasons below; the first is the answer. `slot` for a slot, `symbol` for a mangled name"
        ),
        .code, "one of the reasons below; more may come"
      ) { .text($0.diagnosis.reason.code) },
      Field(
        "detail",
        Column(
          "DETAIL", "the other name, version or library, or one of the words below; a slot's state"),
        .name.orNull,
        "the other name, version or library, or one of the words below; `null` for none"
      ) { .text($0.diagnosis.detail.isEmpty ? nil : $0.diagnosis.detail) },
      Field("slots", "SLOTS", .count, "how many slots the reason is about") {
        .number($0.diagnosis.slotCount)
      },
      Field(
        "message", Column("MEANING", isLine: true, "the reason as a sentence"), .name,
        "the reason as people read it; its words may change"
      ) { .text($0.meaning) },
      Field(
        "dlopen", .object(DlopenDefinition.listing.record).orNull,
        "the library that defines the symbol and that a note names; `null` for other reasons"
      ) { .object(DlopenDefinition.listing, $0.diagnosis.dlopen) },
    ]
  }
}

extension SoughtSymbol {
  /// The readable name; nil if the name is not mangled.
  var demangledName: String? {
    var demangler = Demangler()
    var name = name + "\0"
    return name.withUTF8 { name in
      demangler.demangle(UnsafeRawBufferPointer(name)).map { String(decoding: $0, as: UTF8.self) }
    }
  }
}

extension DlopenDefinition {
  fileprivate static let listing = Listing<Self>(
    "dlopenDefinition", of: "`dlopen`",
    [
      Field("library", .path, "the path of the library, as `dlopen` finds it") {
        .path($0.library)
      },
      Field("image", .path, "the path of the file or library that has the note") {
        .path($0.image)
      },
      Field(
        "priority", .name, "the note's: `required`, `recommended` or `suggested`; more may come"
      ) { .text($0.priority) },
    ])
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

#endif
