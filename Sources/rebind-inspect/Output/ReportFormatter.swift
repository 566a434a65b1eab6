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

/// What a subcommand found in one input: all that it brings to the output.
protocol ReportBody: SendableMetatype {
  /// What the body was found in.
  var subject: ReportSubject { get }

  /// Writes lines of text.
  func writeText(_ style: TextStyle, in output: inout OutputBuffer)

  /// Writes members of the file's object, each with a comma in front, and `separator` in front of
  /// each element of a list.
  func writeJSON(separator: StaticString, in output: inout OutputBuffer)
}

#endif
