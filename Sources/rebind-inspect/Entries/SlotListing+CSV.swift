#if Commands

import ELFInspection
import RebindFiles

extension SlotListing {
  /// Writes the cells of a slot, each with a comma in front.
  @inline(__always)
  func writeCells(
    _ slot: FileSlot, _ symbols: SymbolTable, _ section: [UInt8]?, in output: inout OutputBuffer
  ) {
    let names = kinds[slot.kind.place]
    output.reserve(64)
    output.append(0x2c)
    output.append(hex: slot.address)
    output.append(0x2c)
    names.relocation.withUnsafeBytes { output.append(csv: $0) }
    output.reserve(128)
    output.append(0x2c)
    output.append(decimal: UInt64(names.type))
    output.append(0x2c)
    output.append(names.kind)
    output.append(0x2c)
    let symbol = symbols[slot.symbol]
    output.append(csv: symbols.name(of: symbol))
    output.reserve(64)
    output.append(0x2c)
    if let version = symbols.versions?.version(of: symbol, at: slot.symbol) {
      output.append(csv: symbols.strings.bytes(from: version.nameOffset))
    }
    output.reserve(64)
    output.append(0x2c)
    if let addend = slot.addend { output.append(decimalIfAny: addend) }
    output.append(0x2c)
    if let added = slot.added { output.append(decimalIfAny: added) }
    output.append(0x2c)
    if let section { section.withUnsafeBytes { output.append(csv: $0) } }
    output.reserve(128)
    output.append(slot.isLazy ? ",lazy" : ",now")
    output.append(slot.isRelro ? ",true" : ",false")
    output.append(slot.isProtected ? ",mprotect" : ",store")
  }

  /// Writes a row of a table for a slot of a file, or of a process.
  @inline(__always)
  func writeRow(
    _ slot: FileSlot, _ state: ProcessSlot?, _ symbols: SymbolTable, _ section: [UInt8]?,
    _ writer: RowWriter, in output: inout OutputBuffer
  ) {
    writer.begin(in: &output)
    if writer.isCSV {
      writeCells(slot, symbols, section, in: &output)
    } else {
      output.reserve(1)
      output.append(0x2c)
      write(slot, symbols, section, in: &output)
    }
    if let state { writer.append(stateOf: state, in: &output) }
    writer.end(in: &output)
  }
}

#endif
