#if Commands

import ELFInspection
import Rebind
import RebindFiles

/// What `who-imports` found in a file, or in an image of a process: imports, and their slots.
struct ImportReport: ReportBody {
  let subject: ReportSubject
  private let symbols: SymbolTable
  /// The indices of the symbols; never empty.
  private let imports: [Int]
  private let slots: [FileSlot]
  /// The places of a symbol's slots among them.
  private let places: [Int: [Int]]
  private let listing: SlotListing
  /// Nil for a file.
  private var process: (pid: Int32, loadBias: UInt64, slots: [ProcessSlot])?

  /// Nil if the file does not import what is asked about.
  init?(of file: ELFFile, _ query: SymbolQuery) throws(ELFFileError) {
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
    listing = SlotListing(
      elfClass: file.elfClass, kinds: SlotKindNames.all(found.types, file.machine),
      sections: try SectionPlaces(of: slots.isEmpty ? nil : file))
  }

  /// Nil if the image does not import what is asked about.
  init?(
    of image: LoadedImage, in scope: ProcessScope, _ query: SymbolQuery
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
    listing = SlotListing(
      elfClass: subject.elfClass, kinds: SlotKindNames.all(found.types, subject.machine),
      sections: try SectionPlaces(of: image.file))
  }

  /// The imports that have no slot: nothing but the symbol asks for them.
  private var withoutSlots: [Int] { imports.filter { places[$0] == nil } }

  private static func places(of slots: [FileSlot]) -> [Int: [Int]] {
    Dictionary(grouping: slots.indices) { slots[$0].symbol }
  }

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    let columns = SlotColumns(ofSeveralFiles: style)
    let state = process == nil ? [] : SlotColumns.stateTitles
    output.append(
      first: style.line(of: columns.titles + state + [ColumnTitle(text: "PATH")]), others: "")
    var cursor = listing.sections.cursor
    for (place, slot) in slots.enumerated() {
      columns.write(
        slot, listing.kinds[slot.kind.place], cursor.name(at: slot.address), in: &output)
      columns.writeSymbol(slot.symbol, of: symbols, in: &output)
      if let process { columns.writeState(of: process.slots[place], in: &output) }
      writePath(in: &output)
    }
    for index in withoutSlots {
      columns.writeNone(in: &output)
      columns.writeSymbol(index, of: symbols, in: &output)
      if process != nil { output.append(text: " - - -") }
      writePath(in: &output)
    }
  }

  private func writePath(in output: inout OutputBuffer) {
    output.append(text: " ")
    output.append(path: subject.path, .line)
    output.append(text: "\n")
  }

  func writeJSON(separator: StaticString, in output: inout OutputBuffer) {
    if let process {
      output.append(key: "pid", number: process.pid)
      output.append(key: "loadBias", hex: process.loadBias)
    }
    output.append(text: ",\"imports\":[")
    var isFirst = true
    var cursor = listing.sections.cursor
    for index in imports {
      output.begin(isFirst: &isFirst, separator)
      write(index, &cursor, in: &output)
    }
    output.append(text: "]")
  }

  private func write(
    _ index: Int, _ cursor: inout SectionPlaces.Cursor, in output: inout OutputBuffer
  ) {
    let symbol = symbols[index]
    output.append(text: "{\"index\":\(index),\"name\":\"")
    output.append(name: symbols.name(of: symbol), .json)
    output.append(text: "\",\"version\":")
    if let version = symbols.versions?.version(of: symbol, at: index) {
      output.append(text: "\"")
      output.append(name: symbols.strings.bytes(from: version.nameOffset), .json)
      output.append(text: "\"")
    } else {
      output.append(text: "null")
    }
    output.append(text: ",\"binding\":\"")
    output.reserve(64)
    output.append(symbol.binding)
    output.append(text: "\",\"slots\":[")
    var isFirst = true
    for place in places[index] ?? [] {
      let slot = slots[place]
      output.begin(isFirst: &isFirst, "")
      listing.write(slot, symbols, cursor.name(at: slot.address), in: &output)
      if let process { output.append(stateOf: process.slots[place]) }
      output.append(text: "}")
    }
    output.append(text: "]}")
  }
}

#endif
