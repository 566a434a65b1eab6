import RebindFiles

extension SymbolReport {
  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    guard let table else { return }
    let columns = SymbolColumns(of: table, style)
    if style.isAligned, table.source != .sectionHeader {
      output.append(text: "counted by \(table.source.rawValue), not by section headers\n")
    }
    let origins: [ColumnTitle] = [.init(text: "FROM"), .init(text: "SHADOWS")]
    output.append(text: style.line(of: columns.titles + (self.origins == nil ? [] : origins)))
    var demangler = Demangler()
    selection.forEach(in: table) { index, symbol in
      columns.write(symbol, index, in: &output)
      columns.writeName(of: symbol, index, table, in: &output)
      self.origins?.writeText(of: symbol, index, table, in: &output)
      if demangles, let name = demangler.demangle(table.name(of: symbol)) {
        columns.write(demangled: name, in: &output)
      }
      output.reserve(1)
      output.append(0x0a)
    }
  }
}
