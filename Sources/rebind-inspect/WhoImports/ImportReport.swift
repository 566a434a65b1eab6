#if Commands

import ELFInspection
import Rebind
import RebindFiles

/// The output of `who-imports` for a file, or for an image of a process: imports, and their slots.
struct ImportReport: DeclaredBody {
  let subject: ReportSubject
  private let symbols: SymbolTable
  /// The indices of the symbols; never empty.
  private let imports: [Int]
  private let slots: [FileSlot]
  /// The places of a symbol's slots among them.
  private let places: [Int: [Int]]
  private let slotListing: SlotListing
  /// Nil for a file.
  private var process: (pid: Int32, loadBias: UInt64, slots: [ProcessSlot])?

  /// Nil if the file does not import what is asked about.
  init?(
    of file: ELFFile, _ query: SymbolQuery, _ demangling: Demangling
  ) throws(ELFFileError) {
    guard let table = try SymbolTable(of: file) else { return nil }
    imports = query.imports(of: table)
    // Most files end here.
    if imports.isEmpty { return nil }
    symbols = table
    subject = ReportSubject(file)
    let found = try FileSlots(of: file)
    let wanted = Set(imports)
    var slots: [FileSlot] = []
    found.forEach { slot in if wanted.contains(slot.symbol) { slots.append(slot) } }
    self.slots = slots
    places = Self.places(of: slots)
    slotListing = SlotListing(
      elfClass: file.elfClass, kinds: SlotKindNames.all(found.types, file.machine),
      sections: try SectionPlaces(of: slots.isEmpty ? nil : file), demangling: demangling)
  }

  /// Nil if the image does not import what is asked about.
  init?(
    of image: LoadedImage, in scope: ProcessScope, _ query: SymbolQuery, _ demangling: Demangling
  ) throws(ELFFileError) {
    guard let table = try image.checkedSymbols() else { return nil }
    imports = query.imports(of: table)
    let wanted = Set(imports)
    guard !wanted.isEmpty,
      let found = try scope.slots(of: image, where: { slot, _ in wanted.contains(slot.symbol) })
    else { return nil }
    symbols = found.symbols
    subject = ReportSubject(image.image)
    slots = found.slots.map(\.slot)
    places = Self.places(of: slots)
    process = (scope.pid, image.image.loadBias, found.slots)
    slotListing = SlotListing(
      elfClass: subject.elfClass, kinds: SlotKindNames.all(found.types, subject.machine),
      sections: try SectionPlaces(of: image.file), demangling: demangling)
  }

  /// The imports that have no slot: nothing but the symbol asks for them.
  private var withoutSlots: [Int] { imports.filter { places[$0] == nil } }

  private static func places(of slots: [FileSlot]) -> [Int: [Int]] {
    Dictionary(grouping: slots.indices) { slots[$0].symbol }
  }

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    var columns = SlotColumns(ofSeveralFiles: slotListing, style)
    style.writeOnce(
      titles: columns.titles(Self.columns, process == nil ? [] : [.ofProcess]), in: &output)
    for (place, slot) in slots.enumerated() {
      columns.write(slot, in: &output)
      columns.writeSymbol(slot.symbol, of: symbols, in: &output)
      if let process { columns.writeState(of: process.slots[place], in: &output) }
      writePath(in: &output)
      columns.end(slot.symbol, of: symbols, in: &output)
    }
    for index in withoutSlots {
      columns.writeNone(in: &output)
      columns.writeSymbol(index, of: symbols, in: &output)
      if process != nil { columns.writeState(of: nil, in: &output) }
      writePath(in: &output)
      columns.end(index, of: symbols, in: &output)
    }
  }

  static let columns = columns(behind: SlotListing.record)

  /// The columns of slots or symbols, and behind them the path, but for the readable name.
  static func columns(behind record: Record) -> [Declaration] {
    let path = Declaration(nil, Column("PATH", place: 8), .text, "the path of the image")
    return Record(record.name, of: record.owner, record.fields + [path]).columns
  }

  private func writePath(in output: inout OutputBuffer) {
    output.append(text: " ")
    output.append(path: subject.path, .column)
  }

  static let listing = Listing<Self>(
    "importList", of: "the file",
    [
      .pid { $0.process?.pid },
      .loadBias { $0.process?.loadBias },
      Field(
        "imports", .list(imported.record, atLeast: 1),
        "the undefined symbols that were asked for"
      ) { report in .list(imported, report.imports.map { (report: report, index: $0) }) },
    ])

  static let imported = Listing<(report: Self, index: Int)>(
    "import", of: "an import",
    [
      Field("index", .index, "its index in the table of symbols") { .number($0.index) },
      Field("name", .name, "the name, without the version") {
        .bytes($0.report.name(of: $0.index))
      },
      Field(.demangledName) { row in
        if row.report.slotListing.demangling == .none { return nil }
        return .text(Demangler.demangled(row.report.name(of: row.index)))
      },
      Field("version", .text.orNull, "the version that it wants; `null` without") {
        $0.report.version(of: $0.index).map { .bytes($0) } ?? .null
      },
      Field("binding", .term, "as for `symbols`") {
        .text($0.report.symbols[$0.index].binding.word)
      },
      Field(
        "slots", .list(SlotListing.record),
        "the slots that are filled with its address, as for `slots`; empty if it has none"
      ) { row in .nested { output, _ in row.report.writeSlots(of: row.index, in: &output) } },
    ])

  private func name(of index: Int) -> UnsafeRawBufferPointer {
    symbols.name(of: symbols[index])
  }

  private func version(of index: Int) -> UnsafeRawBufferPointer? {
    symbols.versions?.version(of: symbols[index], at: index)
      .map { symbols.strings.bytes(from: $0.nameOffset) }
  }

  private func writeSlots(of index: Int, in output: inout OutputBuffer) {
    output.append(text: "[")
    let frame = ObjectFrame(separator: "")
    var isFirst = true
    var cursor = slotListing.sections.cursor
    var demangler = Demangler()
    for place in places[index] ?? [] {
      let slot = slots[place]
      frame.begin(isFirst: &isFirst, in: &output)
      slotListing.write(slot, symbols, cursor.name(at: slot.address), &demangler, in: &output)
      if let process { output.append(stateOf: process.slots[place]) }
      frame.end(in: &output)
    }
    output.append(text: "]")
  }

  static var row: Record { SlotListing.record }

  /// A row is a slot, or an import without one, of which symbol and version alone are known.
  func writeRows(_ writer: RowWriter, in output: inout OutputBuffer) {
    var rows = SlotRows(of: slotListing, writer)
    for (place, slot) in slots.enumerated() {
      rows.write(slot, process?.slots[place], symbols, in: &output)
    }
    for index in withoutSlots {
      writer.begin(in: &output)
      for field in SlotListing.record.fields where writer.has(field.presence) {
        let value: Value? =
          switch field.key?.description {
          case "symbol": .bytes(name(of: index))
          case "version": version(of: index).map { .bytes($0) }
          case "demangledName": .text(Demangler.demangled(name(of: index)))
          default: nil
          }
        writer.write(value ?? .null, field.rowColumns, in: &output)
      }
      writer.end(in: &output)
    }
  }
}

#endif
