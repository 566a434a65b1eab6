#if Commands

import RebindFiles

/// Writes the rows of one file: flat objects of JSON, a line each, or lines of CSV.
struct RowWriter {
  let isCSV: Bool
  /// The presences of the fields that are shown besides those that always are.
  private let presences: [Presence]
  /// The start of each line: the columns that say which file the line is about.
  private let start: [UInt8]

  init(isCSV: Bool, presences: [Presence], of subject: ReportSubject) {
    self.isCSV = isCSV
    self.presences = presences
    let bare = Self(isCSV: isCSV, start: [])
    start = OutputBuffer.bytes { output in
      ReportSubject.row.writeRow(subject, bare, in: &output)
    }
  }

  private init(isCSV: Bool, start: [UInt8]) {
    self.isCSV = isCSV
    self.start = start
    presences = [.always]
  }

  func has(_ presence: Presence) -> Bool { presence == .always || presences.contains(presence) }

  /// The frame of JSON objects, for rows that are written without a `Listing`.
  var frame: ObjectFrame { ObjectFrame(lineStart: [0x7b] + start.dropFirst() + [0x2c]) }

  func write<Row>(_ listing: Listing<Row>, _ row: Row, in output: inout OutputBuffer) {
    begin(in: &output)
    listing.writeRow(row, self, in: &output)
    end(in: &output)
  }

  /// Writes the start of a row. Each member of JSON, and each cell, then has a comma in front.
  @inline(__always)
  func begin(in output: inout OutputBuffer) {
    if !isCSV {
      output.reserve(1)
      output.append(0x7b)
    }
    // A comma stands in front of the first column too.
    start.withUnsafeBytes { output.append(bytes: UnsafeRawBufferPointer(rebasing: $0.dropFirst())) }
  }

  @inline(__always)
  func end(in output: inout OutputBuffer) {
    output.reserve(2)
    output.append(isCSV ? "\r\n" : "}\n")
  }

  /// Writes a value as the columns that it is.
  func write(_ value: Value, _ columns: [RowColumn], in output: inout OutputBuffer) {
    guard case .object(let object) = value else {
      // An object that is not there has no value in any of its columns.
      for column in columns { write(value, column, in: &output) }
      return
    }
    var rest = columns[...]
    object.forEachValue { value in
      if let column = rest.popFirst() { write(value, column, in: &output) }
    }
  }

  private func write(_ value: Value, _ column: RowColumn, in output: inout OutputBuffer) {
    output.reserve(64)
    output.append(0x2c)
    if isCSV { return output.append(cell: value) }
    output.append(0x22)
    output.append(text: column.title)
    output.append(text: "\":")
    output.append(flat: value, isText: column.isText)
  }
}

extension OutputBuffer {
  /// Appends a cell of CSV: none is empty, and an empty text is `""`.
  fileprivate mutating func append(cell value: Value) {
    switch value {
    case .null, .nested, .object: break
    case .bytes(let bytes): append(csv: bytes)
    case .path(let path): path.cString.withUnsafeBytes { append(csv: $0) }
    case .string, .strings: append(csv: value.text)
    case .base64(let bytes): Base64.write(bytes, in: &self)
    case .unsigned, .signed, .hexadecimal, .boolean: append(text: value.text)
    }
  }

  /// Appends a value of JSON that is no object or list. A missing text is empty.
  fileprivate mutating func append(flat value: Value, isText: Bool) {
    switch value {
    case .null, .nested, .object: append(text: isText ? "\"\"" : "null")
    case .string, .strings: appendString { $0.append(json: value.text) }
    case .bytes(let bytes): appendString { $0.append(name: bytes, .json) }
    case .path(let path): appendString { $0.append(path: path, .json) }
    case .hexadecimal: append(text: "\"\(value.text)\"")
    case .unsigned, .signed, .boolean: append(text: value.text)
    case .base64(let bytes): appendString { Base64.write(bytes, in: &$0) }
    }
  }
}

#endif
