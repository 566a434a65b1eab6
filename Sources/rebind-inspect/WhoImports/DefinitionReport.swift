#if Commands

import RebindFiles

/// The output of `who-imports --defines` for a file, or for an image of a process.
struct DefinitionReport: ReportBody {
  let subject: ReportSubject
  private let symbols: SymbolListing
  private let process: (pid: Int32, loadBias: UInt64)?

  static var record: Record { SymbolListing.list }

  /// Nil without a definition of the symbol.
  ///
  /// - Parameter process: Where the image is; nil for a file.
  init?(
    in table: SymbolTable?, of subject: ReportSubject, _ query: SymbolQuery,
    _ demangling: Demangling,
    process: (pid: Int32, loadBias: UInt64)? = nil
  ) {
    guard let table else { return nil }
    var isEmpty = true
    query.exports.forEach(in: table) { _, _ in isEmpty = false }
    if isEmpty { return nil }
    self.subject = subject
    self.process = process
    symbols = SymbolListing(table: table, selection: query.exports, demangling: demangling)
  }

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    guard let table = symbols.table else { return }
    let demangling = symbols.demangling
    let columns = SymbolColumns(ofSeveralFiles: style, demangling)
    let titles = Self.columns.titles(
      columns.widths, [.always] + demangling.presences, hasMangled: demangling != .only)
    style.writeOnce(titles: titles, in: &output)
    var demangler = Demangler()
    symbols.selection.forEach(in: table) { index, symbol in
      columns.write(symbol, index, in: &output)
      columns.writeName(of: symbol, index, table, in: &output)
      output.append(text: " ")
      output.append(path: subject.path, .column)
      columns.writeReadable(of: symbol, index, table, &demangler, in: &output)
      output.append(text: "\n")
    }
  }

  static let columns = ImportReport.columns(behind: SymbolListing.symbol)

  static var row: Record { SymbolListing.symbol }

  func writeRows(_ writer: RowWriter, in output: inout OutputBuffer) {
    if writer.isCSV { return symbols.writeCSV(writer, in: &output) }
    symbols.writeObjects(writer.frame, in: &output)
  }

  func writeJSON(separator: StaticString, in output: inout OutputBuffer) {
    output.append(process: process)
    symbols.writeJSON(separator: separator, in: &output)
  }
}

#endif
