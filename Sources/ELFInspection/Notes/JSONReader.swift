/// The values of JSON that notes and baselines have.
indirect enum JSONValue {
  case string(String)
  case list([JSONValue])
  case object([String: JSONValue])
  /// A number, a boolean or null.
  case other

  /// The text, or those of a list.
  var strings: [String] {
    switch self {
    case .string(let text): [text]
    case .list(let values): values.flatMap(\.strings)
    case .object, .other: []
    }
  }
}

/// Reads JSON without Foundation.
struct JSONReader {
  private var rest: Substring.UnicodeScalarView
  private var depth = 0

  init(_ text: String) { rest = text[...].unicodeScalars }

  /// How many bytes of the text it has read.
  var offset: Int {
    let text = Substring(rest).base
    return text.utf8.distance(from: text.startIndex, to: rest.startIndex)
  }

  /// The one value of the text; nil if it is no JSON.
  mutating func document() -> JSONValue? {
    guard let value = value() else { return nil }
    skipSpace()
    return rest.isEmpty ? value : nil
  }

  private mutating func skipSpace() {
    while let scalar = rest.first, " \t\r\n".unicodeScalars.contains(scalar) { rest.removeFirst() }
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    skipSpace()
    return skip(scalar)
  }

  private mutating func value() -> JSONValue? {
    depth += 1
    defer { depth -= 1 }
    guard depth < Self.deepest else { return nil }
    if take("[") { return list() }
    if take("{") { return object() }
    if rest.first == "\"" { return string().map { .string($0) } }
    for word in ["true", "false", "null"] where rest.starts(with: word.unicodeScalars) {
      rest = rest.dropFirst(word.unicodeScalars.count)
      return .other
    }
    return skipNumber() ? .other : nil
  }

  private mutating func skipNumber() -> Bool {
    _ = skip("-")
    // No other digit comes behind a leading zero.
    guard skip("0") || skipDigits() else { return false }
    if skip("."), !skipDigits() { return false }
    guard skip("e") || skip("E") else { return true }
    _ = skip("+") || skip("-")
    return skipDigits()
  }

  private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard rest.first == scalar else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func skipDigits() -> Bool {
    let digits = rest.prefix { "0"..."9" ~= $0 }
    rest = rest.dropFirst(digits.count)
    return !digits.isEmpty
  }

  private mutating func list() -> JSONValue? {
    var values: [JSONValue] = []
    if take("]") { return .list([]) }
    repeat {
      guard let value = value() else { return nil }
      values.append(value)
    } while take(",")
    return take("]") ? .list(values) : nil
  }

  private mutating func object() -> JSONValue? {
    var members: [String: JSONValue] = [:]
    if take("}") { return .object([:]) }
    repeat {
      skipSpace()
      guard let key = string(), take(":"), let value = value() else { return nil }
      members[key] = value
    } while take(",")
    return take("}") ? .object(members) : nil
  }

  private mutating func string() -> String? {
    guard take("\"") else { return nil }
    var units: [UInt16] = []
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\"": return String(decoding: units, as: UTF16.self)
      case "\\":
        guard let escape = rest.popFirst() else { return nil }
        switch escape {
        case "n": units.append(0x0a)
        case "t": units.append(0x09)
        case "r": units.append(0x0d)
        case "b": units.append(0x08)
        case "f": units.append(0x0c)
        case "u":
          let digits = rest.prefix(4)
          guard digits.count == 4, digits.allSatisfy(\.properties.isASCIIHexDigit),
            let unit = UInt16(String(Substring(digits)), radix: 16)
          else { return nil }
          units.append(unit)
          rest = rest.dropFirst(4)
        case "\"", "\\", "/": units += Array(String(escape).utf16)
        default: return nil
        }
      // A control character has to be escaped.
      case "\0"..<" ": return nil
      default: units += Array(String(scalar).utf16)
      }
    }
    return nil
  }

  private static let deepest = 32
}
