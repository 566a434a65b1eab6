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

  /// Appends the name of a value, and under `rawKey` the value itself.
  mutating func append<Term: ELFTerm>(key: StaticString, rawKey: StaticString, _ term: Term) {
    append(key: key)
    append(0x22)
    append(term)
    append(0x22)
    append(key: rawKey, number: term.rawValue)
  }

  /// Appends a comma and the key, and reserves room for a number or a term.
  private mutating func append(key: StaticString) {
    reserve(128)
    append(",\"")
    append(key)
    append("\":")
  }
}
