#if Commands

/// Bytes as hexadecimal digits, beside the characters that they are.
enum HexDump {
  /// The lines as rows of a table.
  static func lines(_ bytes: [UInt8], address: UInt64) -> [HexLine] {
    stride(from: 0, to: bytes.count, by: 16).map { offset in
      HexLine(
        address: address &+ UInt64(offset), bytes: bytes[offset..<min(offset + 16, bytes.count)])
    }
  }

  /// Writes a line for each 16 bytes: an address, four groups of four bytes, and the characters.
  static func write(
    _ bytes: [UInt8], address: UInt64, _ style: TextStyle, in output: inout OutputBuffer
  ) {
    var offset = 0
    while offset < bytes.count {
      let line = bytes[offset..<min(offset + 16, bytes.count)]
      style.begin(in: &output)
      output.reserve(128)
      output.append(hex: address &+ UInt64(offset))
      for index in offset..<(offset + 16) {
        if (index - offset) % 4 == 0 { output.append(0x20) }
        if index < line.endIndex {
          output.append(digit: line[index] >> 4)
          output.append(digit: line[index] & 0xf)
        } else {
          output.pad(2)
        }
      }
      output.append(0x20)
      for byte in line { output.append((0x20..<0x7f).contains(byte) ? byte : 0x2e) }
      output.append(0x0a)
      offset += 16
    }
  }
}

/// Up to 16 bytes of a section, and where they are.
struct HexLine {
  let address: UInt64
  let bytes: ArraySlice<UInt8>

  static let listing = Listing<Self>(
    "hexLine", of: "a row",
    [
      Field("address", .hex, "the address of the first byte") { .hex($0.address) },
      Field("bytes", .hexBytes, "up to 16 bytes, in hexadecimal") { line in
        .text(
          String(
            decoding: OutputBuffer.bytes { output in
              output.reserve(32)
              for byte in line.bytes {
                output.append(digit: byte >> 4)
                output.append(digit: byte & 0xf)
              }
            }, as: UTF8.self))
      },
      Field("characters", .text, "the same as characters, and `.` for the others") { line in
        .text(
          String(
            decoding: line.bytes.map { (0x20..<0x7f).contains($0) ? $0 : 0x2e }, as: UTF8.self))
      },
    ])
}

extension OutputBuffer {
  /// Appends a hexadecimal digit. The caller has reserved it.
  @inline(__always)
  mutating func append(digit: UInt8) { append(digit &+ (digit < 10 ? 0x30 : 0x57)) }
}

#endif
