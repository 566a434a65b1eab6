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
    columns.writeTitles(hasState: true, in: &output)
    var cursor = listing.sections.cursor
    for slot in found.slots {
      let section = cursor.name(at: slot.slot.address)
      columns.write(slot.slot, listing.kinds[slot.slot.kind.place], section, in: &output)
      columns.writeSymbol(of: slot.slot, found.symbols, in: &output)
      output.append(text: " \(slot.state.rawValue) \(hexadecimal(slot.word)) ")
      output.append(column: slot.target?.text ?? "-")
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
      output.append(key: "value", hex: slot.word)
      output.append(key: "state", text: slot.state.rawValue)
      output.append(key: "target", target: slot.target)
      output.append(
        key: "reboundBy",
        text: slot.state == .rebound ? slot.target?.place?.text ?? "" : nil)
      output.append(text: "}")
    }
    output.append(text: "]")
  }
}
