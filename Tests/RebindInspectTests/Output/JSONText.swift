/// A value of JSON that is written for people: an object or a list that fits into a line is one.
indirect enum JSONText {
  /// Each key with the value at its place.
  case members([String], [JSONText])
  case list([JSONText])
  case string(String)
  case number(Int64)
  case null

  static func object(_ members: [(key: String, value: JSONText)]) -> JSONText {
    .members(members.map(\.key), members.map(\.value))
  }

  /// The members of an object; nil for what is none.
  var members: [(key: String, value: JSONText)]? {
    guard case .members(let keys, let values) = self else { return nil }
    return zip(keys, values).map { ($0, $1) }
  }

  static func texts(_ texts: [String]) -> JSONText { .list(texts.map { .string($0) }) }

  /// The text, at a line's column and with an indentation of its own.
  func text(column: Int = 0, indent: Int = 0) -> String {
    let line = oneLine
    if column + line.count < 100 { return line }
    let inner = String(repeating: " ", count: indent + 2)
    let outer = String(repeating: " ", count: indent)
    switch self {
    case .members(let keys, let values):
      let lines = zip(keys, values).map { name, value in
        let key = "\(inner)\"\(name)\": "
        return key + value.text(column: key.count, indent: indent + 2)
      }
      return "{\n\(lines.joined(separator: ",\n"))\n\(outer)}"
    case .list(let elements):
      let lines = elements.map { inner + $0.text(column: indent + 2, indent: indent + 2) }
      return "[\n\(lines.joined(separator: ",\n"))\n\(outer)]"
    default: return line
    }
  }

  private var oneLine: String {
    switch self {
    case .members(let keys, let values):
      "{ \(zip(keys, values).map { "\"\($0)\": \($1.oneLine)" }.joined(separator: ", ")) }"
    case .list(let elements): "[\(elements.map(\.oneLine).joined(separator: ", "))]"
    case .string(let text):
      "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    case .number(let number): String(number)
    case .null: "null"
    }
  }
}
