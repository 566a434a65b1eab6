import Foundation

/// A line of the report; Sources/FileTrace/TracedCall.swift writes it.
private struct Call: Decodable {
  var pid: Int
  var call: String
  var caller: String
  var path: String?
  var descriptor: Int?
  var address: String?
  var result: Int
  var error: String?

  var cells: [String] {
    [
      String(pid), call, error ?? String(result), caller,
      path ?? address ?? descriptor.map(String.init) ?? "",
    ]
  }
}

/// The report as a table with a heading.
func table(of lines: Data) throws -> Data {
  let calls = try lines.split(separator: UInt8(ascii: "\n")).map {
    // A path need not be UTF-8.
    try JSONDecoder().decode(Call.self, from: Data(String(decoding: $0, as: UTF8.self).utf8))
  }
  let rows = [["PID", "CALL", "RESULT", "CALLER", "ARGUMENT"]] + calls.map(\.cells)
  let widths = rows[0].indices.dropLast().map { column in
    rows.map { $0[column].count }.max() ?? 0
  }
  let text = rows.map { row in
    zip(row, widths).map { $0.padding(toLength: $1 + 2, withPad: " ", startingAt: 0) }.joined()
      + row[widths.count] + "\n"
  }
  return Data(text.joined().utf8)
}
