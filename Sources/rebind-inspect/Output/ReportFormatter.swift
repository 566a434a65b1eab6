/// A format of the output: what a subcommand found in each file, or why a file was not read.
///
/// The methods are called once for a file, never for a symbol.
protocol ReportFormatter {
  mutating func begin(in output: inout OutputBuffer)
  mutating func write(_ report: SymbolReport, in output: inout OutputBuffer)
  mutating func write(_ error: InputError, in output: inout OutputBuffer)
  mutating func end(in output: inout OutputBuffer)
}

extension OutputFormat {
  /// The formatter of this format, as the options ask for it.
  func formatter(_ options: InputOptions) -> any ReportFormatter {
    switch self {
    case .text: TextFormatter(hasHeadings: options.files.count > 1, style: TextStyle(options.color))
    case .json: JSONFormatter(isLines: false)
    case .jsonl: JSONFormatter(isLines: true)
    }
  }
}
