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
    var isFirst = true
    var cursor = listing.sections.cursor
    slots.forEach { slot in
      guard selection.contains(slot, of: symbols) else { return }
      output.reserve(64)
      if !isFirst { output.append(0x2c) }
      isFirst = false
      output.append(separator)
      listing.write(slot, symbols, cursor.name(at: slot.address), in: &output)
      output.reserve(1)
      output.append(0x7d)
    }
  }
}

#endif
