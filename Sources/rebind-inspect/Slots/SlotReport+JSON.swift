#if Commands

import ELFInspection
import Rebind
import RebindFiles

extension SlotReport {
  func writeJSON(separator: StaticString, in output: inout OutputBuffer) {
    output.append(text: ",\"slots\":[")
    if let symbols = slots.symbols { write(symbols, separator, in: &output) }
    output.append(text: "]")
  }

  private func write(
    _ symbols: SymbolTable, _ separator: StaticString, in output: inout OutputBuffer
  ) {
    let frame = ObjectFrame(separator: separator)
    var isFirst = true
    var cursor = listing.sections.cursor
    var demangler = Demangler()
    slots.forEach { slot in
      guard selection.contains(slot, of: symbols) else { return }
      frame.begin(isFirst: &isFirst, in: &output)
      listing.write(slot, symbols, cursor.name(at: slot.address), &demangler, in: &output)
      frame.end(in: &output)
    }
  }

  static var row: Record { SlotListing.record }

  func writeRows(_ writer: RowWriter, in output: inout OutputBuffer) {
    guard let symbols = slots.symbols else { return }
    var rows = SlotRows(of: listing, writer)
    slots.forEach { slot in
      guard selection.contains(slot, of: symbols) else { return }
      rows.write(slot, nil, symbols, in: &output)
    }
  }
}

#endif
