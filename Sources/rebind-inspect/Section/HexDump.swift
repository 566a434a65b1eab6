#if Commands

/// Bytes as hexadecimal digits, beside the characters that they are.
enum HexDump {
  /// Writes a line for each 16 bytes: an address, four groups of four bytes, and the characters.
  static func write(_ bytes: [UInt8], address: UInt64, in output: inout OutputBuffer) {
    var offset = 0
    while offset < bytes.count {
      let line = bytes[offset..<min(offset + 16, bytes.count)]
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

extension OutputBuffer {
  /// Appends a hexadecimal digit. The caller has reserved it.
  @inline(__always)
  mutating func append(digit: UInt8) { append(digit &+ (digit < 10 ? 0x30 : 0x57)) }
}

#endif
