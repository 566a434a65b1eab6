#if Commands

import RebindFiles

/// Which symbols are asked for.
enum SymbolSelection {
  case all
  /// The symbols that the image takes from others: the undefined ones.
  case imports
  /// The symbols that others can take from the image.
  case exports
  /// Imports and exports, which leaves out what only the image itself can see.
  case importsAndExports

  init(imports: Bool, exports: Bool) {
    self =
      switch (imports, exports) {
      case (false, false): .all
      case (true, false): .imports
      case (false, true): .exports
      case (true, true): .importsAndExports
      }
  }

  @inline(__always)
  func contains(_ symbol: SymbolEntry, _ index: Int, of table: SymbolTable) -> Bool {
    switch self {
    case .all: true
    case .imports: !symbol.isDefined
    case .exports: table.exports(symbol, at: index)
    case .importsAndExports: !symbol.isDefined || table.exports(symbol, at: index)
    }
  }
}

#endif
