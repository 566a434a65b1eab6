#if Commands

/// How the bytes of a file are made safe to print.
enum Escaping {
  /// A column of text: no spaces either, so that the columns can be counted.
  case column
  /// The rest of a line of text: what could control a terminal is written as `\x1b`.
  /// On a terminal no line is broken in it.
  case line
  /// The same for words, between which a line may be broken.
  case words
  /// The inside of a JSON string. Bytes that are not UTF-8 become U+FFFD.
  case json
}

extension OutputBuffer {
  /// Appends bytes up to the first zero byte or their end, escaped.
  ///
  /// Names are nearly all printable ASCII, so eight bytes at a time are looked at and copied. Each is
  /// looked at alone only where one of them may need an escape.
  mutating func append(name: UnsafeRawBufferPointer, _ escaping: Escaping) {
    var offset = 0
    while offset < name.count {
      reserve(8)
      if name.count - offset >= 8 {
        let word = name.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        let plain = plainPrefix(word)
        append(count: plain) {
          UnsafeMutableRawPointer($0).storeBytes(of: word, as: UInt64.self)
        }
        offset += plain
        if plain == 8 { continue }
      }
      let byte = name[offset]
      if byte == 0 { return }
      if isPlain(byte) {
        append(byte)
        offset += 1
      } else {
        offset += appendSpecial(UnsafeRawBufferPointer(rebasing: name[offset...]), escaping)
      }
    }
  }

  /// Appends the first scalar, or the first bytes that are none, and returns how many bytes it had.
  private mutating func appendSpecial(
    _ bytes: UnsafeRawBufferPointer, _ escaping: Escaping
  ) -> Int {
    var scalars = UTF8Scalars(bytes)
    guard let (scalar, source) = scalars.next() else { return 0 }
    reserve(24)
    switch (scalar, escaping) {
    case (" ", .line):
      append(isWrapped ? LineWrapper.joinedSpace : source[0])
    case (" ", .words), (" ", .json), ("\"", .line), ("\"", .words), ("\"", .column):
      append(source[0])
    case ("\\", _), ("\"", .json):
      append(0x5c)
      append(source[0])
    case (let scalar?, .json) where scalar.isControl:
      for unit in String(scalar).utf16 {
        append("\\u")
        append(hexByte: UInt8(unit >> 8))
        append(hexByte: UInt8(truncatingIfNeeded: unit))
      }
    case (let scalar?, _) where !scalar.isASCII && !scalar.isControl:
      for byte in source { append(byte) }
    case (nil, .json):
      append("\u{FFFD}")
    default:
      for byte in source {
        append("\\x")
        append(hexByte: byte)
      }
    }
    return source.count
  }

  private mutating func append(hexByte byte: UInt8) {
    append(digit: byte >> 4)
    append(digit: byte & 0xf)
  }
}

extension Unicode.Scalar {
  /// True for what could move a terminal's cursor or worse. Also true for marks that turn the direction of
  /// text, have no width or end a line: with these, a name looks like another one.
  var isControl: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}

/// True for a printable ASCII character that no way of escaping changes.
@inline(__always)
private func isPlain(_ byte: UInt8) -> Bool {
  byte > 0x20 && byte < 0x7f && byte != 0x22 && byte != 0x5c
}

/// Returns how many bytes of a word are certainly `isPlain`, from its first byte in memory on. The
/// byte that ends them may be plain too.
@inline(__always)
private func plainPrefix(_ word: UInt64) -> Int {
  let ones: UInt64 = 0x0101_0101_0101_0101
  // The first byte in memory becomes the lowest one. Each term sets the top bit of some bytes. A
  // carry or borrow may set more of them, but only above one that is rightly set, and of those
  // the lowest is all that counts.
  let word = word.littleEndian
  let backslash = word ^ (ones &* 0x5c)
  let special =
    word  // not ASCII
    | (word &+ ones)  // 0x7f, delete
    | ((word &- (ones &* 0x23)) & ~word)  // controls, space, quote, and "!" with them
    | ((backslash &- ones) & ~backslash)
  return (special & (ones &* 0x80)).trailingZeroBitCount / 8
}

#endif
