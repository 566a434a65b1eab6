/// A format of the output: what a subcommand found in each file, or why a file was not read.
///
/// The methods are called once for a file, never for a symbol.
protocol ReportFormatter {
  mutating func begin(in output: inout OutputBuffer)
  mutating func write(_ report: SymbolReport, in output: inout OutputBuffer)
  mutating func write(_ error: InputError, in output: inout OutputBuffer)
  mutating func end(in output: inout OutputBuffer)
}

extension InputOptions {
  /// The formatter that the options ask for.
  var formatter: any ReportFormatter {
    switch format {
    case .text: TextFormatter(hasHeadings: files.count > 1, style: TextStyle(color))
    case .json: JSONFormatter(isLines: false)
    case .jsonl: JSONFormatter(isLines: true)
    }
  }
}
