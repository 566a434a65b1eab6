/// The path of a file: bytes as the system has them, which need not be UTF-8.
package struct FilePath: Hashable, Sendable {
  /// The bytes and the zero that ends them, as the system calls take them.
  package let cString: [CChar]
  /// Where the bytes are, if not all of the file at the path: of an archive's member.
  package let member: ArchiveMember?

  package init(_ bytes: [UInt8], member: ArchiveMember? = nil) {
    // Without room for more: a command may keep many thousands.
    cString = [CChar](unsafeUninitializedCapacity: bytes.count + 1) { room, count in
      for (index, byte) in bytes.enumerated() { room[index] = CChar(bitPattern: byte) }
      room[bytes.count] = 0
      count = bytes.count + 1
    }
    self.member = member
  }

  package init(_ path: String) {
    self.init(Array(path.utf8))
  }

  /// The path as text; what is not UTF-8 becomes U+FFFD.
  package var text: String {
    String(decoding: bytes, as: UTF8.self)
  }

  /// The bytes as hexadecimal digits, if a String of them would not be the path.
  package var bytesIfNotUTF8: String? {
    let bytes = bytes
    guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
    return bytes.map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The part behind the last slash.
  package var lastComponent: String {
    String(decoding: bytes.split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self)
  }

  package var bytes: [UInt8] { cString.dropLast().map { UInt8(bitPattern: $0) } }
}
