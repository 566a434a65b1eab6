#if Commands

import ELFInspection
import Rebind
import RebindFiles

/// The output of `slots` for a file: the slots, and the part of them that is asked for.
struct SlotReport: ReportBody {
  let subject: ReportSubject
  let slots: FileSlots
  let selection: SlotSelection
  let listing: SlotListing

  static var record: Record { SlotListing.list }

  init(
    of file: ELFFile, _ selection: SlotSelection, _ demangling: Demangling
  ) throws(ELFFileError) {
    subject = ReportSubject(file)
    slots = try FileSlots(of: file)
    try slots.checkAreKnown(file)
    self.selection = selection
    listing = SlotListing(
      elfClass: file.elfClass, kinds: SlotKindNames.all(slots.types, file.machine),
      sections: try SectionPlaces(of: file), demangling: demangling)
  }

  var lack: String? { slots.symbols == nil ? "no dynamic table, and so no slots" : nil }

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    guard let symbols = slots.symbols else { return }
    var columns = SlotColumns(of: listing, style)
    var hasTitles = false
    slots.forEach { slot in
      guard selection.contains(slot, of: symbols) else { return }
      if !hasTitles {
        style.write(titles: columns.titles(SlotListing.record.columns), in: &output)
      }
      hasTitles = true
      columns.write(slot, in: &output)
      columns.writeSymbol(slot.symbol, of: symbols, in: &output)
      columns.end(slot.symbol, of: symbols, in: &output)
    }
  }
}

/// Which slots are asked for.
struct SlotSelection {
  /// All kinds, unless some were named.
  let kinds: SlotKinds
  /// Any of these names; empty for all.
  let names: [NamePattern]
  /// The same by their readable names.
  let readable: ReadableNames

  @inline(__always)
  func contains(_ slot: FileSlot, of symbols: SymbolTable) -> Bool {
    guard kinds.contains(slot.kind) else { return false }
    if names.isEmpty, readable.isEmpty { return true }
    let name = symbols.name(of: symbols[slot.symbol])
    return names.contains { $0.matches(name) } || readable.matches(name)
  }
}

#endif
