#if Commands

import ELFInspection
import Rebind
import RebindFiles

/// The output of `slots` for an image of a process.
struct ProcessSlotReport: ReportBody {
  let subject: ReportSubject
  let pid: Int32
  let loadBias: UInt64
  let found: ProcessSlots
  static var record: Record { SlotListing.list }

  private let listing: SlotListing

  init(
    of image: LoadedImage, pid: Int32, _ found: ProcessSlots, _ demangling: Demangling = .none
  ) throws(ELFFileError) {
    subject = ReportSubject(image.image)
    self.pid = pid
    loadBias = image.image.loadBias
    self.found = found
    listing = SlotListing(
      elfClass: subject.elfClass, kinds: SlotKindNames.all(found.types, subject.machine),
      sections: try SectionPlaces(of: image.file), demangling: demangling)
  }

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    var columns = SlotColumns(of: listing, style)
    let titles = columns.titles(SlotListing.record.columns, [.ofProcess])
    style.write(titles: titles, in: &output)
    for slot in found.slots {
      columns.write(slot.slot, in: &output)
      columns.writeSymbol(slot.slot.symbol, of: found.symbols, in: &output)
      columns.writeState(of: slot, in: &output)
      columns.end(slot.slot.symbol, of: found.symbols, in: &output)
    }
  }

  func writeJSON(separator: StaticString, in output: inout OutputBuffer) {
    output.append(key: "pid", number: pid)
    output.append(key: "loadBias", hex: loadBias)
    output.append(text: ",\"slots\":")
    writeSlots(separator: separator, in: &output)
  }

  /// Writes the list of slots.
  func writeSlots(separator: StaticString, in output: inout OutputBuffer) {
    output.append(text: "[")
    let frame = ObjectFrame(separator: separator)
    var isFirst = true
    var cursor = listing.sections.cursor
    var demangler = Demangler()
    for slot in found.slots {
      frame.begin(isFirst: &isFirst, in: &output)
      let section = cursor.name(at: slot.slot.address)
      listing.write(slot.slot, found.symbols, section, &demangler, in: &output)
      output.append(stateOf: slot)
      frame.end(in: &output)
    }
    output.append(text: "]")
  }

  static var row: Record { SlotListing.record }

  func writeRows(_ writer: RowWriter, in output: inout OutputBuffer) {
    var rows = SlotRows(of: listing, writer)
    for slot in found.slots { rows.write(slot.slot, slot, found.symbols, in: &output) }
  }
}

extension SlotColumns {
  /// Writes the columns of what a slot holds; `-` in each for none.
  func writeState(of slot: ProcessSlot?, in output: inout OutputBuffer) {
    let state = SlotListing.state
    let cells = slot.map { state.cells($0) } ?? state.record.columns.map { _ in "" }
    for cell in cells {
      output.append(text: " ")
      output.append(column: cell.isEmpty ? "-" : cell)
    }
  }
}

extension SlotListing {
  /// The fields of a slot's object that say what it holds.
  fileprivate static let state = Listing<ProcessSlot>(
    "slotState", of: "a slot", stateFields)

  static let stateDeclarations = stateFields.map(\.declaration)

  private static let stateFields: [Field<ProcessSlot>] = [
    Field(
      "value", Column("VALUE", isRight: false, place: 4), .hex, "the word in the slot",
      when: .ofProcess
    ) { .hex($0.word) },
    Field(
      "state",
      Column("STATE", place: 3), .words(ProcessSlot.State.allCases.map(\.rawValue)),
      "one of the words below",
      when: .ofProcess
    ) { .text($0.state.rawValue) },
    Field(
      "target", Column("TARGET", place: 4, "where it leads, as `image:symbol+offset`"), .target,
      """
      where it leads, less the addend if the loader adds that; `null` for NULL and for the loader's \
      resolver
      """, when: .ofProcess, text: { $0.target?.text ?? "" }
    ) { .target($0.target) },
    Field(
      "reboundBy", .text.orNull,
      """
      the path of the image that it was rebound to, or the kernel's name of the memory, `""` for \
      none; `null` unless it is rebound
      """, when: .ofProcess
    ) { slot in
      .text(slot.state == .rebound ? slot.target?.place?.text ?? "" : nil)
    },
    Field(
      "bypass",
      Column("BYPASS", place: 4, "where calls jump that bypass the slot, as in a rewritten PLT"),
      .target,
      """
      where calls jump that bypass the slot, since glibc has rewritten the PLT \
      (`glibc.cpu.plt_rewrite`); `null` if they read the slot
      """, when: .ofProcess, text: { $0.bypass?.text ?? "" }
    ) { .target($0.bypass) },
  ]
}

extension WordList {
  static let slotStates = WordList(
    "state", ProcessSlot.State.allCases.map { ($0.rawValue, $0.meaning) })
}

extension ProcessSlot.State {
  fileprivate var meaning: String {
    switch self {
    case .null: "it is NULL: nothing defines the symbol"
    case .unresolved:
      """
      it leads to the loader's resolver, and was not called yet. Or it still holds the file's \
      value, because the loader has yet to relocate the image
      """
    case .original: "it leads to a definition of its symbol, in whichever image"
    case .rebound: "it leads elsewhere"
    case .assigned:
      "it leads elsewhere, and is a pointer in writable data, which is the program's to assign"
    }
  }
}

extension RowWriter {
  /// Appends the columns of what a slot holds.
  func append(stateOf slot: ProcessSlot, in output: inout OutputBuffer) {
    SlotListing.state.writeRow(slot, self, in: &output)
  }
}

extension OutputBuffer {
  /// Appends the members of a slot's object that say what the slot holds.
  mutating func append(stateOf slot: ProcessSlot) {
    SlotListing.state.writeMembers(slot, isFirst: false, separator: "", in: &self)
  }
}

#endif
