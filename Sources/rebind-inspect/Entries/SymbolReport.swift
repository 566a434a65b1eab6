#if Commands

import RebindFiles

/// The output of `symbols` for a file: the symbols, and the part of them that is asked for.
struct SymbolReport: ReportBody {
  let subject: ReportSubject
  /// Nil if the file has no dynamic symbols.
  let table: SymbolTable?
  let selection: SymbolFilter
  let demangles: Bool
  /// Nil if it was not asked where imports come from.
  var origins: SymbolOrigins?

  /// The JSON is written by hand, as files have many symbols; a test compares its keys with these.
  static let record = Record(
    "symbolList", of: "the file",
    [
      Declaration(
        "symbolSource",
        .words(["SHT_DYNSYM", "DT_HASH", "DT_GNU_HASH", "relocations"]).orNull,
        """
        the source of the number of symbols; see below. `null` if the file has no dynamic symbols
        """),
      Declaration(
        "symbols", .list(symbol),
        """
        the dynamic symbols that were asked for, by rising index; not the null symbol at index 0
        """),
    ])

  /// The problems that keep a loader from starting the program, a line each.
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
