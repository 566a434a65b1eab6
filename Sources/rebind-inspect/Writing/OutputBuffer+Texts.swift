#if Commands

import RebindFiles

extension OutputBuffer {
  /// Appends words of our own, as they are.
  mutating func append(text: String) {
    var text = text
    text.withUTF8 { append(raw: UnsafeRawBufferPointer($0)) }
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

  /// Appends a text as a column of a line.
  mutating func append(column text: String) {
    var text = text
    text.withUTF8 { append(name: UnsafeRawBufferPointer($0), .column) }
  }

  /// Appends a text as the rest of a line.
  mutating func append(line text: String) {
    var text = text
    text.withUTF8 { append(name: UnsafeRawBufferPointer($0), .words) }
  }

  /// The same as `pad` for any number of spaces, which need not be reserved.
  mutating func fill(_ count: Int) {
    for _ in 0..<max(0, count) {
      reserve(1)
      pad(1)
    }
  }

  /// Appends a few bytes, or many, as they are.
  @inline(__always)
  mutating func append(bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count)
    guard bytes.count <= room, let start = bytes.baseAddress else { return append(raw: bytes) }
    append(count: bytes.count) {
      UnsafeMutableRawPointer($0).copyMemory(from: start, byteCount: bytes.count)
    }
  }

  @inline(__always)
  mutating func append(bytes: [UInt8]) {
    bytes.withUnsafeBytes { append(bytes: $0) }
  }

  /// Appends bytes as they are.
  mutating func append(raw bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while !rest.isEmpty {
      reserve(1)
      let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(room))
      append(count: piece.count) {
        UnsafeMutableRawBufferPointer(start: $0, count: piece.count).copyMemory(from: piece)
      }
      rest = rest.dropFirst(piece.count)
    }
  }
}

#endif
