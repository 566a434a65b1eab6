#if Commands

import RebindFiles

extension SymbolReport {
  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    guard let table = symbols.table else { return }
    var columns = SymbolColumns(of: table, symbols.selection, style)
    let selection = symbols.selection
    let origins = origins.map { OriginColumns(of: $0, table, selection, style) }
    columns.nameWidth = origins?.nameWidth ?? 0
    if table.source != .sectionHeader {
      style.tell("counted by \(table.source.rawValue), not by section headers", in: &output)
    }
    var presences = [Presence.always]
    if origins != nil { presences.append(.resolved) }
    if demangles { presences.append(.demangled) }
    let titles = SymbolListing.symbol.columns.titles(
      columns.widths + (origins?.widths ?? []), presences)
    style.write(titles: titles, in: &output)
    var demangler = Demangler()
    symbols.selection.forEach(in: table) { index, symbol in
      columns.write(symbol, index, in: &output)
      columns.writeName(of: symbol, index, table, in: &output)
      origins?.write(of: symbol, index, in: &output)
      if demangles {
        columns.write(demangled: demangler.demangle(table.name(of: symbol)), in: &output)
      }
      output.reserve(1)
      output.append(0x0a)
    }
  }
}

#endif
