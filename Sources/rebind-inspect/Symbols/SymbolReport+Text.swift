#if Commands

import RebindFiles

extension SymbolReport {
  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    guard let table = symbols.table else { return }
    let selection = symbols.selection
    let demangling = symbols.demangling
    var columns = SymbolColumns(of: table, selection, style, demangling)
    let origins = origins.map { OriginColumns(of: $0, table, selection, style, demangling) }
    columns.nameWidth = demangling == .only ? 0 : origins?.nameWidth ?? 0
    if table.source.isCounted {
      style.tell("counted by \(table.source.rawValue), not by section headers", in: &output)
    }
    let titles = SymbolListing.symbol.columns.titles(
      columns.widths + (origins?.widths ?? []),
      [.always] + demangling.presences + (origins == nil ? [] : [.resolved]),
      hasMangled: demangling != .only)
    style.write(titles: titles, in: &output)
    var demangler = Demangler()
    selection.forEach(in: table) { index, symbol in
      columns.write(symbol, index, in: &output)
      columns.writeName(of: symbol, index, table, in: &output)
      origins?.write(of: symbol, index, in: &output)
      columns.writeReadable(of: symbol, index, table, &demangler, in: &output)
      output.reserve(1)
      output.append(0x0a)
    }
  }
}

#endif
