#if Commands

import ELFInspection
import RebindFiles

/// Writes the slots of a file, or of a process, as rows of a table.
struct SlotRows: ~Copyable {
  private let listing: SlotListing
  private let writer: RowWriter
  private var cursor: SectionPlaces.Cursor
  /// By the kinds' places: the cells of CSV that the last slot of this kind has.
  private var last: [SlotWords?]
  private var demangler = Demangler()

  init(of listing: SlotListing, _ writer: RowWriter) {
    self.listing = listing
    self.writer = writer
    cursor = listing.sections.cursor
    last = listing.kinds.map { _ in nil }
  }

  /// - Parameter state: The state in a process; nil for a slot of a file.
  @inline(__always)
  mutating func write(
    _ slot: FileSlot, _ state: ProcessSlot?, _ symbols: SymbolTable, in output: inout OutputBuffer
  ) {
    writer.begin(in: &output)
    if writer.isCSV {
      writeCells(slot, symbols, in: &output)
    } else {
      output.reserve(1)
      output.append(0x2c)
      listing.write(
        slot, symbols, cursor.name(at: slot.address), &demangler, none: "\"\"", in: &output)
    }
    if let state { writer.append(stateOf: state, in: &output) }
    writer.end(in: &output)
  }

  @inline(__always)
  private mutating func writeCells(
    _ slot: FileSlot, _ symbols: SymbolTable, in output: inout OutputBuffer
  ) {
    let section = cursor.place(at: slot.address)
    let kind = slot.kind.place
    if let words = last[kind], words.fit(slot, section) {
      write(words, slot, symbols, in: &output)
    } else {
      let words = SlotWords(slot, section, front(of: slot), behind: back(of: slot, section))
      last[kind] = words
      write(words, slot, symbols, in: &output)
    }
  }

  /// Writes the cells of a slot, each with a comma in front.
  @inline(__always)
  private mutating func write(
    _ words: SlotWords, _ slot: FileSlot, _ symbols: SymbolTable, in output: inout OutputBuffer
  ) {
    output.reserve(OutputBuffer.longestNumber + 1)
    output.append(0x2c)
    output.append(hex: slot.address)
    words.bytes.withUnsafeBytes { bytes in
      output.append(bytes: UnsafeRawBufferPointer(rebasing: bytes[..<words.split]))
      let symbol = symbols[slot.symbol]
      output.append(csv: symbols.name(of: symbol))
      if listing.demangling != .none {
        output.append(text: ",")
        if let name = demangler.demangle(symbols.name(of: symbol)) { output.append(csv: name) }
      }
      output.reserve(1)
      output.append(0x2c)
      if let version = symbols.versions?.version(of: symbol, at: slot.symbol) {
        output.append(csv: symbols.strings.bytes(from: version.nameOffset))
      }
      output.reserve(2 * (OutputBuffer.longestNumber + 2))
      output.append(0x2c)
      if let addend = slot.addend { output.append(decimalIfAny: addend) }
      output.append(0x2c)
      if let added = slot.added { output.append(decimalIfAny: added) }
      output.append(bytes: UnsafeRawBufferPointer(rebasing: bytes[words.split...]))
    }
  }

  /// The cells between the address and the symbol.
  private func front(of slot: FileSlot) -> [UInt8] {
    let names = listing.kinds[slot.kind.place]
    return OutputBuffer.bytes { output in
      output.append(text: ",")
      names.relocation.withUnsafeBytes { output.append(csv: $0) }
      output.append(text: ",\(names.type),\(names.kind),")
    }
  }

  /// The cells behind the addends.
  private func back(of slot: FileSlot, _ section: Int?) -> [UInt8] {
    OutputBuffer.bytes { output in
      output.append(text: ",")
      if let section {
        listing.sections.name(of: section).withUnsafeBytes { output.append(csv: $0) }
      }
      output.append(text: slot.isLazy ? ",lazy" : ",now")
      output.append(text: slot.isRelro ? ",true" : ",false")
      output.append(text: slot.isProtected ? ",mprotect" : ",store")
    }
  }
}

#endif
