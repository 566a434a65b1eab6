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

extension SlotListing {
  /// Writes a slot's object, but not its end.
  @inline(__always)
  func write(
    _ slot: FileSlot, _ symbols: SymbolTable, _ section: [UInt8]?, in output: inout OutputBuffer
  ) {
    let names = kinds[slot.kind.place]
    output.reserve(64)
    output.append("{\"address\":\"")
    output.append(hex: slot.address)
    output.append("\",\"relocation\":\"")
    names.relocation.withUnsafeBytes { output.append(name: $0, .json) }
    output.reserve(128)
    output.append("\",\"relocationValue\":")
    output.append(decimal: UInt64(names.type))
    output.append(",\"kind\":\"")
    output.append(names.kind)
    output.append("\",\"symbol\":\"")
    let symbol = symbols[slot.symbol]
    output.append(name: symbols.name(of: symbol), .json)
    output.reserve(64)
    if let version = symbols.versions?.version(of: symbol, at: slot.symbol) {
      output.append("\",\"version\":\"")
      output.append(name: symbols.strings.bytes(from: version.nameOffset), .json)
      output.reserve(64)
      output.append("\",\"addend\":")
    } else {
      output.append("\",\"version\":null,\"addend\":")
    }
    output.append(decimalIfAny: slot.addend)
    if let section {
      output.append(",\"section\":\"")
      section.withUnsafeBytes { output.append(name: $0, .json) }
      output.reserve(128)
      output.append(0x22)
    } else {
      output.reserve(128)
      output.append(",\"section\":null")
    }
    output.append(slot.isLazy ? ",\"binding\":\"lazy\"" : ",\"binding\":\"now\"")
    output.append(slot.isRelro ? ",\"relro\":true" : ",\"relro\":false")
    output.append(slot.isProtected ? ",\"needs\":\"mprotect\"" : ",\"needs\":\"store\"")
  }
}

#endif
