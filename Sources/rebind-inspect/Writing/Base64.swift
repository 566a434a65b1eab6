#if Commands

/// Bytes as RFC 4648 has them in JSON.
enum Base64 {
  static func write(_ bytes: [UInt8], in output: inout OutputBuffer) {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var offset = 0
    while offset < bytes.count {
      let count = min(3, bytes.count - offset)
      var group: UInt32 = 0
      for index in 0..<3 {
        group = group << 8 | (index < count ? UInt32(bytes[offset + index]) : 0)
      }
      output.reserve(4)
      for index in 0..<4 {
        output.append(
          index <= count ? letters[Int(group >> UInt32(18 - 6 * index)) & 0x3f] : 0x3d)
      }
      offset += 3
    }
  }
}

#endif
