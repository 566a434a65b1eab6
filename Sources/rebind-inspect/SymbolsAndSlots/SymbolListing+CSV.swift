#if Commands

import RebindFiles

extension SymbolListing {
  /// Writes a line of CSV for each symbol: the columns of its declaration.
  ///
  /// - Parameter behindVersion: Writes cells behind a symbol's version.
  @inline(__always)
  func writeCSV(
    _ writer: RowWriter, in output: inout OutputBuffer,
    behindVersion: (SymbolEntry, Int, inout OutputBuffer) -> Void = { _, _, _ in }
  ) {
    guard let table else { return }
    var demangler = Demangler()
    selection.forEach(in: table) { index, symbol in
      writer.begin(in: &output)
      output.reserve(64)
      output.append(0x2c)
      output.append(decimal: UInt64(index))
      output.append(0x2c)
      output.append(csv: table.name(of: symbol))
      output.reserve(64)
      if demangling != .none {
        output.append(0x2c)
        if let name = demangler.demangle(table.name(of: symbol)) { output.append(csv: name) }
        output.reserve(64)
      }
      if let version = table.versions?.version(of: symbol, at: index) {
        output.append(0x2c)
        output.append(csv: table.strings.bytes(from: version.nameOffset))
        output.reserve(8)
        output.append(version.isDefault ? ",true" : ",false")
      } else {
        output.append(",,")
      }
      behindVersion(symbol, index, &output)
      write(cells: symbol, in: &output)
    }
  }

  /// Writes what the symbol's entry says, and ends its line.
  @inline(__always)
  private func write(cells symbol: SymbolEntry, in output: inout OutputBuffer) {
    output.reserve(256)
    output.append(0x2c)
    output.append(hex: symbol.value)
    output.append(0x2c)
    output.append(decimal: symbol.size)
    output.append(0x2c)
    output.append(symbol.type)
    output.append(0x2c)
    output.append(symbol.binding)
    output.append(0x2c)
    output.append(symbol.visibility)
    output.append(0x2c)
    output.append(decimal: UInt64(symbol.sectionIndex))
    output.append(symbol.isDefined ? ",true\r\n" : ",false\r\n")
  }
}

#endif
