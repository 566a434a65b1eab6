#if Commands

import RebindFiles

/// A format of the output: what a subcommand found in each input, or why one was not read.
///
/// The methods are called once for an input, never for a symbol, and by several threads.
protocol ReportFormatter: Sendable {
  func begin(in output: inout OutputBuffer)
  func write(_ body: some ReportBody, in output: inout OutputBuffer)
  func write(_ error: ELFFileError, in output: inout OutputBuffer)
  func end(_ summary: (any ReportSummary)?, in output: inout OutputBuffer)
}

/// The part of the output that is about all inputs together, behind them: in text, and in a document of JSON.
protocol ReportSummary {
  /// The line above its text.
  var heading: String { get }

  /// The word in place of a path, where each line has one.
  var name: String { get }

  func writeText(_ style: TextStyle, in output: inout OutputBuffer)

  /// Writes members of the document, each with a comma in front.
  func writeJSON(separator: StaticString, in output: inout OutputBuffer)
}

#endif
