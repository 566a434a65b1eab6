#if Commands

import RebindFiles

/// A format of the output: what a subcommand found in each input, or why one was not read.
///
/// The methods are called once for an input, never for a symbol, and by several threads.
protocol ReportFormatter: Sendable {
  func begin(in output: inout OutputBuffer)
  func write(_ body: some ReportBody, in output: inout OutputBuffer)
  func write(_ error: ELFFileError, in output: inout OutputBuffer)
  func end(in output: inout OutputBuffer)
}

#endif
