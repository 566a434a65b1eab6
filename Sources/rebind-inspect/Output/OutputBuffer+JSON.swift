#if Commands

import RebindFiles

/// Members of a JSON object that come once a file.
extension OutputBuffer {
  mutating func append(key: StaticString, text: String?) {
    append(key: key)
    if let text {
      append(text: "\"")
      append(json: text)
      append(text: "\"")
    } else {
      append(text: "null")
    }
  }

  mutating func append(key: StaticString, number: some UnsignedInteger) {
    append(key: key)
    append(decimal: UInt64(number))
  }

  mutating func append(key: StaticString, number: some SignedInteger) {
    append(key: key)
    if number < 0 { append(0x2d) }
    append(decimal: UInt64(number.magnitude))
  }

  mutating func append<Number: BinaryInteger>(key: StaticString, ifAny number: Number?) {
    append(key: key)
    append(text: number.map { String($0) } ?? "null")
  }

  mutating func append(key: StaticString, texts: [String]?) {
    append(key: key)
    guard let texts else { return append("null") }
    append(text: "[")
    for (index, text) in texts.enumerated() {
      append(text: index == 0 ? "\"" : ",\"")
      append(json: text)
      append(text: "\"")
    }
    append(text: "]")
  }

  mutating func append(key: StaticString, hex number: UInt64?) {
    append(key: key)
    guard let number else { return append("null") }
    append(0x22)
    append(hex: number)
    append(0x22)
  }

  /// Appends a path, and its bytes if it is not UTF-8.
  mutating func append(key: StaticString, _ path: FilePath) {
    append(key: key)
    append(0x22)
    append(path: path, .json)
    append(text: "\"")
    if let bytes = path.bytesIfNotUTF8 { append(text: ",\"\(key)Bytes\":\"\(bytes)\"") }
  }

  mutating func append(key: StaticString, _ value: Bool) {
    append(key: key)
    append(value ? "true" : "false")
  }

  /// Appends the name of a value, and under `rawKey` the value itself.
  mutating func append<Term: ELFTerm>(key: StaticString, rawKey: StaticString, _ term: Term) {
    append(key: key)
    append(0x22)
    append(term)
    append(0x22)
    append(key: rawKey, number: term.rawValue)
  }

  /// Writes what goes in front of an element of a list.
  mutating func begin(isFirst: inout Bool, _ separator: StaticString) {
    if !isFirst { append(text: ",") }
    isFirst = false
    append(text: "\(separator)")
  }

  /// Appends a comma and the key, and reserves room for a number or a term.
  private mutating func append(key: StaticString) {
    reserve(128)
    append(",\"")
    append(key)
    append("\":")
  }
}

#endif
