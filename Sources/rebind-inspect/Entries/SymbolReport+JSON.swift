#if Commands

import RebindFiles

extension SymbolReport {
  func writeJSON(separator: StaticString, in output: inout OutputBuffer) {
    output.append(key: "symbolSource", text: table?.source.rawValue)
    output.append(text: ",\"symbols\":[")
    if let table { write(table, separator, in: &output) }
    output.append(text: "]")
  }

  private func write(_ table: SymbolTable, _ separator: StaticString, in output: inout OutputBuffer)
  {
    var demangler = Demangler()
    var isFirst = true
    selection.forEach(in: table) { index, symbol in
      output.reserve(64)
      if !isFirst { output.append(0x2c) }
      isFirst = false
      output.append(separator)
      output.append("{\"index\":")
      output.append(decimal: UInt64(index))
      output.append(",\"name\":\"")
      output.append(name: table.name(of: symbol), .json)
      output.reserve(64)
      output.append(0x22)
      if demangles { write(demangler.demangle(table.name(of: symbol)), in: &output) }
      let version = table.versions?.version(of: symbol, at: index)
      write(version, of: table, in: &output)
      origins?.writeJSON(of: symbol, index, table, in: &output)
      write(symbol, in: &output)
    }
  }

  private func write(_ demangled: UnsafeRawBufferPointer?, in output: inout OutputBuffer) {
    output.append(",\"demangledName\":")
    if let demangled {
      output.append(0x22)
      output.append(name: demangled, .json)
      output.reserve(1)
      output.append(0x22)
    } else {
      output.append("null")
    }
  }

  @inline(__always)
  private func write(
    _ version: SymbolVersion?, of table: SymbolTable, in output: inout OutputBuffer
  ) {
    output.reserve(64)
    guard let version else {
      output.append(",\"version\":null,\"isDefaultVersion\":null")
      return
    }
    output.append(",\"version\":\"")
    output.append(name: table.strings.bytes(from: version.nameOffset), .json)
    output.reserve(64)
    output.append(
      version.isDefault ? "\",\"isDefaultVersion\":true" : "\",\"isDefaultVersion\":false")
  }

  /// Writes what the symbol's entry says, and ends its object.
  @inline(__always)
  private func write(_ symbol: SymbolEntry, in output: inout OutputBuffer) {
    output.reserve(256)
    output.append(",\"value\":\"")
    output.append(hex: symbol.value)
    output.append("\",\"size\":")
    output.append(decimal: symbol.size)
    output.append(",\"type\":\"")
    output.append(symbol.type)
    output.append("\",\"binding\":\"")
    output.append(symbol.binding)
    output.append("\",\"visibility\":\"")
    output.append(symbol.visibility)
    output.append("\",\"sectionIndex\":")
    output.append(decimal: UInt64(symbol.sectionIndex))
    output.append(symbol.isDefined ? ",\"isDefined\":true}" : ",\"isDefined\":false}")
  }
}

#endif
