#if Commands

import RebindFiles

/// Two columns behind a symbol's name: the path that an import comes from, and the paths that this
/// one shadows.
struct OriginColumns {
  private let origins: SymbolOrigins
  private let table: SymbolTable
  /// The width of the name with its version in front of the two columns; 0 if columns are not
  /// aligned.
  private(set) var nameWidth = 0
  private var pathWidth = 0

  init(
    of origins: SymbolOrigins, _ table: SymbolTable, _ selection: SymbolFilter, _ style: TextStyle,
    _ demangling: Demangling
  ) {
    self.origins = origins
    self.table = table
    guard style.isAligned else { return }
    let hasName = demangling != .only
    if hasName { nameWidth = "NAME".utf8.count }
    pathWidth = "FROM".utf8.count
    selection.forEach(in: table) { index, symbol in
      if hasName { nameWidth = max(nameWidth, width(of: symbol, index)) }
      var isFirst = true
      origins.forEachOrigin(of: symbol, index, table) { path in
        if isFirst { pathWidth = max(pathWidth, path.text.unicodeScalars.count) }
        isFirst = false
      }
    }
  }

  /// The width of the first column. The second one stands behind it and needs no width.
  var widths: [Int] { [pathWidth] }

  /// Fills up the name, and writes the columns.
  func write(of symbol: SymbolEntry, _ index: Int, in output: inout OutputBuffer) {
    if nameWidth > 0 { output.fill(nameWidth - width(of: symbol, index)) }
    var count = 0
    origins.forEachOrigin(of: symbol, index, table) { path in
      output.reserve(1)
      output.append(count < 2 ? 0x20 : 0x2c)
      output.append(path: path, .column)
      if count == 0, pathWidth > 0 { output.fill(pathWidth - path.text.unicodeScalars.count) }
      count += 1
    }
    if count == 0 {
      output.append(text: " -")
      output.fill(pathWidth - 1)
    }
    if count < 2 { output.append(text: " -") }
  }

  /// How many columns of a terminal a name with its version takes, if its characters take one each.
  private func width(of symbol: SymbolEntry, _ index: Int) -> Int {
    let name = table.strings.string(at: symbol.nameOffset)
    var width = max(1, name.unicodeScalars.count)
    if let version = table.versions?.version(of: symbol, at: index) {
      width += (version.isDefault ? 2 : 1)
      width += table.strings.string(at: version.nameOffset).unicodeScalars.count
    }
    return width
  }
}

#endif
