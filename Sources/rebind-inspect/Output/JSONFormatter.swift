/// JSON for programs: one document with all files, or a line a file.
///
/// Documentation/JSON.md and Documentation/rebind-inspect.schema.json describe it.
struct JSONFormatter: ReportFormatter {
  /// True if each file is a line of its own.
  private let isLines: Bool
  private var isFirst = true

  init(isLines: Bool) {
    self.isLines = isLines
  }

  mutating func begin(in output: inout OutputBuffer) {
    if !isLines { output.append(text: "{\(Self.schema),\"files\":[\n") }
  }

  mutating func write(_ report: SymbolReport, in output: inout OutputBuffer) {
    let reader = report.file.reader
    beginFile(reader.path, in: &output)
    output.append(key: "class", number: reader.elfClass.addressSize * 8)
    output.append(key: "byteOrder", text: reader.byteOrder == .little ? "little" : "big")
    output.append(key: "machine", rawKey: "machineValue", reader.machine)
    output.append(key: "type", rawKey: "typeValue", reader.type)
    output.append(key: "symbolSource", text: report.table?.source.rawValue)
    report.writeJSON(separator: isLines ? "" : "\n", in: &output)
    endFile(in: &output)
  }

  mutating func write(_ error: InputError, in output: inout OutputBuffer) {
    beginFile(error.path, in: &output)
    output.append(text: ",\"error\":{\"code\":\"\(error.code.rawValue)\"")
    output.append(key: "message", text: error.message)
    output.append(key: "field", text: error.field)
    output.append(key: "offset", text: error.offset.map(hex))
    output.append(text: "}")
    endFile(in: &output)
  }

  mutating func end(in output: inout OutputBuffer) {
    if !isLines { output.append(text: "\n]}\n") }
  }

  private static var schema: String { "\"schema\":\"rebind-inspect/1\"" }

  /// Writes a file object's start, with its path.
  private mutating func beginFile(_ path: InputPath, in output: inout OutputBuffer) {
    if isLines {
      output.append(text: "{\(Self.schema),")
    } else {
      output.append(text: isFirst ? "{" : ",\n{")
    }
    isFirst = false
    output.append(text: "\"path\":\"")
    output.append(path: path, .json)
    output.append(text: "\"")
    if let bytes = path.bytesIfNotUTF8 { output.append(key: "pathBytes", text: bytes) }
  }

  private func endFile(in output: inout OutputBuffer) {
    output.append(text: isLines ? "}\n" : "}")
  }
}
