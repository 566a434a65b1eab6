#if Commands

import RebindFiles

/// What `symbols` found in a file, and which part of that is asked for.
struct SymbolReport: ReportBody {
  let subject: ReportSubject
  /// Nil if the file has no dynamic symbols.
  let table: SymbolTable?
  let selection: SymbolFilter
  let demangles: Bool
  /// Nil if it was not asked where imports come from.
  var origins: SymbolOrigins?

  /// What keeps a loader from starting the program, a line each.
  var problems: [String] {
    guard let origins, let table else { return [] }
    return origins.problems(table)
  }
}

/// Which symbols are asked for.
enum SymbolSelection {
  case all
  /// Those that the image takes from others: the undefined ones.
  case imports
  /// Those that others can take from the image.
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
  func contains(_ symbol: SymbolEntry) -> Bool {
    switch self {
    case .all: true
    case .imports: !symbol.isDefined
    case .exports: symbol.isExported
    case .importsAndExports: !symbol.isDefined || symbol.isExported
    }
  }
}

#endif
