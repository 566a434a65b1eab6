#if Commands

import Rebind
import RebindFiles

extension SectionReport {
  /// A word of the section, and what it leads to.
  struct Pointer {
    /// Where the word is.
    let address: UInt64
    /// The link-time address that it leads to; nil if that is not known before it is loaded.
    let value: UInt64?
    /// The bytes there up to the first zero, if they are text.
    let string: [UInt8]?
    /// The symbol of another image that it leads to, if it says.
    let symbol: String?
  }

  /// Calls `body` with each word.
  func forEachPointer(_ body: (Pointer) -> Void) {
    let memory = contents.memory
    contents.bytes.withUnsafeBytes { bytes in
      let words = Words(bytes: bytes, elfClass: subject.elfClass, byteOrder: subject.byteOrder)
      for offset in stride(from: 0, to: bytes.count, by: subject.elfClass.addressSize) {
        let address = contents.section.address &+ UInt64(offset)
        let value = memory.pointer(words.word(at: offset), at: address)
        body(
          Pointer(
            address: address, value: value, string: value.flatMap { text(at: $0) },
            symbol: value == nil ? memory.symbol(at: address) : nil))
      }
    }
  }

  /// The string at an address; nil if it is empty, too long for one, or no text.
  private func text(at address: UInt64) -> [UInt8]? {
    guard address != 0 else { return nil }
    return contents.memory.withBytes(from: address) { bytes in
      let start = bytes.prefix(Self.longestText + 1)
      guard let end = start.firstIndex(of: 0), end > start.startIndex else { return nil }
      let text = Array(start[..<end])
      guard String(validating: text, as: UTF8.self) != nil,
        !text.contains(where: { $0 < 0x20 && $0 != 0x09 && $0 != 0x0a && $0 != 0x0d })
      else { return nil }
      return text
    } ?? nil
  }

  private static var longestText: Int { 1 << 16 }

  /// Calls `body` with the offset and the bytes of each string. Zero bytes between them are padding.
  func forEachString(_ body: (Int, UnsafeRawBufferPointer) -> Void) {
    contents.bytes.withUnsafeBytes { bytes in
      var start = 0
      while start < bytes.count {
        if bytes[start] == 0 {
          start += 1
          continue
        }
        let end = bytes[start...].firstIndex(of: 0) ?? bytes.count
        body(start, UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
        start = end
      }
    }
  }
}

#endif
