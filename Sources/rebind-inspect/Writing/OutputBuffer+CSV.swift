#if Commands

/// Cells of RFC 4180: a cell has quotes around it if it needs them.
extension OutputBuffer {
  /// Appends bytes up to the first zero byte or their end. Bytes that are not UTF-8 become U+FFFD.
  ///
  /// Names are nearly all letters, digits and underscores, so eight bytes at a time are looked at.
  mutating func append(csv bytes: UnsafeRawBufferPointer) {
    var length = 0
    while bytes.count - length >= 8 {
      let plain = plainPrefix(bytes.loadUnaligned(fromByteOffset: length, as: UInt64.self))
      length += plain
      if plain < 8 { break }
    }
    while length < bytes.count, isPlain(bytes[length]) { length += 1 }
    let isAll = length == bytes.count || bytes[length] == 0
    if isAll, length > 0 {
      append(bytes: UnsafeRawBufferPointer(rebasing: bytes[..<length]))
    } else {
      appendQuoted(bytes)
    }
  }

  mutating func append(csv text: String) {
    var text = text
    text.withUTF8 { append(csv: UnsafeRawBufferPointer($0)) }
  }

  private mutating func appendQuoted(_ bytes: UnsafeRawBufferPointer) {
    reserve(1)
    append(0x22)
    for (scalar, source) in UTF8Scalars(bytes) {
      if scalar == "\0" { break }
      reserve(8)
      if scalar == "\"" { append(0x22) }
      if scalar == nil {
        append("\u{FFFD}")
      } else {
        for byte in source { append(byte) }
      }
    }
    reserve(1)
    append(0x22)
  }
}

/// True for a printable ASCII character that needs no quotes.
@inline(__always)
private func isPlain(_ byte: UInt8) -> Bool {
  byte > 0x20 && byte < 0x7f && byte != 0x22 && byte != 0x2c
}

/// Returns how many bytes of a word are certainly `isPlain`, from its first byte in memory on. The
/// byte that ends them may be plain too.
@inline(__always)
private func plainPrefix(_ word: UInt64) -> Int {
  let ones: UInt64 = 0x0101_0101_0101_0101
  // The same as for names: what a carry or borrow sets stands above a byte that is rightly set.
  let word = word.littleEndian
  let comma = word ^ (ones &* 0x2c)
  let special =
    word | (word &+ ones) | ((word &- (ones &* 0x23)) & ~word) | ((comma &- ones) & ~comma)
  return (special & (ones &* 0x80)).trailingZeroBitCount / 8
}

#endif
