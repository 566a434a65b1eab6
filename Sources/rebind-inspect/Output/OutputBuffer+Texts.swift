import RebindFiles

extension OutputBuffer {
  /// Appends words of our own, as they are.
  mutating func append(text: String) {
    for byte in text.utf8 {
      reserve(1)
      append(byte)
    }
  }

  /// Appends words as the inside of a JSON string.
  mutating func append(json text: String) {
    var text = text
    text.withUTF8 { append(name: UnsafeRawBufferPointer($0), .json) }
  }

  /// Appends a path.
  mutating func append(path: FilePath, _ escaping: Escaping) {
    path.cString.withUnsafeBytes { append(name: $0, escaping) }
  }
}
