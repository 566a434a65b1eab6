#if Commands

import ELFInspection
import Rebind
import RebindFiles

/// What `slots` found in an image of a process.
struct ProcessSlotReport: ReportBody {
  let subject: ReportSubject
  let pid: Int32
  let loadBias: UInt64
  let found: ProcessSlots
  private let listing: SlotListing

  init(
    of image: LoadedImage, pid: Int32, _ found: ProcessSlots
  ) throws(ELFFileError) {
    subject = ReportSubject(image.image)
    self.pid = pid
    loadBias = image.image.loadBias
    self.found = found
    listing = SlotListing(
      elfClass: subject.elfClass, kinds: SlotKindNames.all(found.types, subject.machine),
      sections: try SectionPlaces(of: image.file))
  }

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    let columns = SlotColumns(of: listing, style)
    output.append(text: style.line(of: columns.titles + SlotColumns.stateTitles))
    var cursor = listing.sections.cursor
    for slot in found.slots {
      let section = cursor.name(at: slot.slot.address)
      columns.write(slot.slot, listing.kinds[slot.slot.kind.place], section, in: &output)
      columns.writeSymbol(slot.slot.symbol, of: found.symbols, in: &output)
      columns.writeState(of: slot, in: &output)
      output.append(text: "\n")
    }
  }

  func writeJSON(separator: StaticString, in output: inout OutputBuffer) {
    output.append(key: "pid", number: pid)
    output.append(key: "loadBias", hex: loadBias)
    output.append(text: ",\"slots\":[")
    var isFirst = true
    var cursor = listing.sections.cursor
    for slot in found.slots {
      output.begin(isFirst: &isFirst, separator)
      let section = cursor.name(at: slot.slot.address)
      listing.write(slot.slot, found.symbols, section, in: &output)
      output.append(stateOf: slot)
      output.append(text: "}")
    }
    output.append(text: "]")
  }
}

extension SlotColumns {
  /// Those of the columns behind the symbol.
  static var stateTitles: [ColumnTitle] {
    [
      .init(text: "STATE"), .init(text: "VALUE"), .init(text: "TARGET"), .init(text: "BYPASS"),
    ]
  }

  /// Writes four columns: what a slot holds, and where calls go that pass it by.
  func writeState(of slot: ProcessSlot, in output: inout OutputBuffer) {
    output.append(text: " \(slot.state.rawValue) \(hexadecimal(slot.word)) ")
    output.append(column: slot.target?.text ?? "-")
    output.append(text: " ")
    output.append(column: slot.bypass?.text ?? "-")
  }
}

extension OutputBuffer {
  /// Appends members of a slot's object: what it holds.
  mutating func append(stateOf slot: ProcessSlot) {
    append(key: "value", hex: slot.word)
    append(key: "state", text: slot.state.rawValue)
    append(key: "target", target: slot.target)
    append(
      key: "reboundBy", text: slot.state == .rebound ? slot.target?.place?.text ?? "" : nil)
    append(key: "bypass", target: slot.bypass)
  }
}

#endif
