#if Commands

import Rebind
import RebindFiles

/// JSON for programs: one document with all files, or a line a file.
///
/// Documentation/JSON.md and Documentation/rebind-inspect.schema.json describe it.
struct JSONFormatter: ReportFormatter {
  /// True if each file is a line of its own.
  private let isLines: Bool

  init(isLines: Bool) {
    self.isLines = isLines
  }

  func begin(in output: inout OutputBuffer) {
    if !isLines { output.append(text: "{\(Self.schema),\"files\":[\n") }
  }

  func write(_ body: some ReportBody, in output: inout OutputBuffer) {
    let subject = body.subject
    beginFile(subject.path, in: &output)
    ReportSubject.header.writeMembers(subject, isFirst: false, separator: "", in: &output)
    body.writeJSON(separator: isLines ? "" : "\n", in: &output)
    endFile(in: &output)
  }

  func write(_ error: ELFFileError, in output: inout OutputBuffer) {
    beginFile(error.filePath, in: &output)
    ReportSubject.failure.writeMembers(error, isFirst: false, separator: "", in: &output)
    endFile(in: &output)
  }

  func end(_ summary: (any ReportSummary)?, in output: inout OutputBuffer) {
    if isLines { return }
    output.append(text: "\n]")
    summary?.writeJSON(separator: "\n", in: &output)
    output.append(text: "}\n")
  }

  private static var schema: String { "\"schema\":\"rebind-inspect/1\"" }

  /// Writes a file object's start, with its path.
  private func beginFile(_ path: FilePath, in output: inout OutputBuffer) {
    if isLines {
      output.append(text: "{\(Self.schema),")
    } else {
      output.append(first: "{", others: ",\n{")
    }
    ReportSubject.path.writeMembers(path, isFirst: true, separator: "", in: &output)
  }

  private func endFile(in output: inout OutputBuffer) {
    output.append(text: isLines ? "}\n" : "}")
  }
}

#endif
