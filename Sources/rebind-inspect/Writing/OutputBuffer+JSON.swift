#if Commands

/// Members of a JSON object, for what is written by hand.
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

  mutating func append(key: StaticString, hex number: UInt64?) {
    append(key: key)
    guard let number else { return append("null") }
    append(0x22)
    append(hex: number)
    append(0x22)
  }

  /// Writes what goes in front of an element of a list.
  mutating func begin(isFirst: inout Bool, _ separator: StaticString) {
    reserve(16)
    if !isFirst { append(0x2c) }
    isFirst = false
    append(separator)
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
