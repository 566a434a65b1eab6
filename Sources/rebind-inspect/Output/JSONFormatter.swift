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
    output.append(key: "class", number: UInt64(subject.elfClass.addressSize) * 8)
    output.append(key: "byteOrder", text: subject.byteOrder == .little ? "little" : "big")
    output.append(key: "machine", rawKey: "machineValue", subject.machine)
    output.append(key: "type", rawKey: "typeValue", subject.type)
    body.writeJSON(separator: isLines ? "" : "\n", in: &output)
    endFile(in: &output)
  }

  func write(_ error: ELFFileError, in output: inout OutputBuffer) {
    beginFile(error.filePath, in: &output)
    output.append(text: ",\"error\":{\"code\":\"\(error.code.rawValue)\"")
    output.append(key: "message", text: error.message)
    output.append(key: "field", text: error.field)
    output.append(key: "offset", text: error.offset.map { hexadecimal($0) })
    output.append(text: "}")
    endFile(in: &output)
  }

  func end(in output: inout OutputBuffer) {
    if !isLines { output.append(text: "\n]}\n") }
  }

  private static var schema: String { "\"schema\":\"rebind-inspect/1\"" }

  /// Writes a file object's start, with its path.
  private func beginFile(_ path: FilePath, in output: inout OutputBuffer) {
    if isLines {
      output.append(text: "{\(Self.schema),")
    } else {
      output.append(first: "{", others: ",\n{")
    }
    output.append(text: "\"path\":\"")
    output.append(path: path, .json)
    output.append(text: "\"")
    if let bytes = path.bytesIfNotUTF8 { output.append(key: "pathBytes", text: bytes) }
  }

  private func endFile(in output: inout OutputBuffer) {
    output.append(text: isLines ? "}\n" : "}")
  }
}

#endif
