#if Commands

import RebindFiles

/// The output of `symbols` for a file: the symbols that are asked for, and what options show of them.
struct SymbolReport: ReportBody {
  let subject: ReportSubject
  var symbols: SymbolListing
  /// Nil if it was not asked where imports come from.
  var origins: SymbolOrigins?
  /// Where the image is; nil for a file.
  var process: (pid: Int32, loadBias: UInt64)?

  static var record: Record { SymbolListing.list }

  /// True if the symbols are those that linkers bind by.
  var isOfLinkers = false

  var lack: String? {
    if symbols.table != nil { return nil }
    return isOfLinkers
      ? "no symbols for linkers: they are stripped"
      : "no dynamic table, and so no symbols to bind by; --all shows those of linkers"
  }
}

extension SymbolReport {
  func writeJSON(separator: StaticString, in output: inout OutputBuffer) {
    output.append(process: process)
    guard let table = symbols.table else {
      return symbols.writeJSON(separator: separator, in: &output)
    }
    symbols.writeJSON(separator: separator, in: &output) { symbol, index, output in
      origins?.writeJSON(of: symbol, index, table, in: &output)
    }
  }

  static var row: Record { SymbolListing.symbol }

  func writeRows(_ writer: RowWriter, in output: inout OutputBuffer) {
    guard let table = symbols.table else { return }
    if !writer.isCSV {
      return symbols.writeObjects(writer.frame, in: &output) { symbol, index, output in
        origins?.writeFlat(of: symbol, index, table, isCSV: false, in: &output)
      }
    }
    symbols.writeCSV(writer, in: &output) { symbol, index, output in
      origins?.writeFlat(of: symbol, index, table, isCSV: true, in: &output)
    }
  }
}

#endif
