import CLibelf
import Glibc
import Rebind

/// The names of an image's symbols and versions, each ended by a zero byte. The corresponding
/// tags are `DT_STRTAB` and `DT_STRSZ`.
package struct StringTable {
  @usableFromInline package let data: TableData
  /// The table's tag or section.
  let name: String
  /// The number of bytes up to and with the last zero byte. A name that starts in front of this
  /// ends inside the table.
  package let count: Int

  /// - Parameter isWhole: Whether the names behind the stated size are there too, up to the end of their segment.
  fileprivate init(
    of file: ELFFile, _ dynamic: DynamicEntries, isWhole: Bool
  ) throws(ELFFileError) {
    name = "DT_STRTAB"
    let address = try dynamic.value(of: .stringTable, field: "DT_STRTAB")
    var size = try dynamic.value(of: .stringTableSize, field: "DT_STRSZ")
    if isWhole {
      let available = try file.locate(address, field: "DT_STRTAB").available
      size = max(size, min(available, ELFReader.largestTable))
    }
    data = try file.table(
      atAddress: address, count: size, entrySize: 1, as: ELF_T_BYTE, field: "DT_STRTAB")
    count = data.bytes.lastIndex(of: 0).map { $0 + 1 } ?? 0
  }

  /// The strings of a section. The corresponding constant is `SHT_STRTAB`.
  init(of file: ELFFile, section index: Int) throws(ELFFileError) {
    guard index < file.sectionHeaders.count, file.sectionHeaders[index].type == .stringTable else {
      throw file.reader.error(
        .malformed("is \(index), no section of strings"), field: "sh_link", at: nil)
    }
    name = "section \(index)"
    let header = file.sectionHeaders[index]
    data = try file.reader.data(
      at: header.offset, size: header.size, as: ELF_T_BYTE, field: "section \(index)")
    count = data.bytes.lastIndex(of: 0).map { $0 + 1 } ?? 0
  }

  /// The bytes from `offset`, which is less than `count`, to the end of the table: the name is
  /// what is in front of their first zero byte.
  @inlinable
  package func bytes(from offset: UInt32) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: data.bytes[Int(offset)..<count])
  }

  private func name(at offset: UInt32) -> UnsafeRawBufferPointer {
    let bytes = bytes(from: offset)
    return bytes.untilZero ?? bytes
  }

  /// The name at `offset`, which is less than `count`, for those that ask for many.
  ///
  /// - Throws: `ELFFileError` if all of them together are too long.
  package func text(at offset: UInt32) throws(ELFFileError) -> String {
    try data.text(name(at: offset))
  }

  /// The same, but two names that differ are two texts. A name that is not UTF-8, or has a `%`, has
  /// `%E9` for each byte that is not ASCII, and `%25` for each `%`.
  package func exactText(at offset: UInt32) throws(ELFFileError) -> String {
    let bytes = name(at: offset)
    let text = try data.text(bytes)
    let mark = UInt8(ascii: "%")
    // U+FFFD stands for what is not UTF-8, and takes three bytes.
    guard text.unicodeScalars.contains("\u{FFFD}") || bytes.contains(mark) else { return text }
    return bytes.reduce(into: "") { text, byte in
      text +=
        byte < 0x80 && byte != mark
        ? String(UnicodeScalar(byte)) : "%" + String(byte, radix: 16, uppercase: true)
    }
  }

  /// The name at `offset`, which is less than `count`; what is not UTF-8 becomes U+FFFD.
  package func string(at offset: UInt32) -> String {
    String(decoding: name(at: offset), as: UTF8.self)
  }
}

extension ELFFile {
  /// Calls `body` with the names of the dynamic table, and returns its result.
  ///
  /// Some old files state too small a DT_STRSZ, which no loader looks at. So if `body` fails, it is
  /// called again with the names behind that size too. If it then succeeds, the file has a warning.
  package func readingNames<Result>(
    _ dynamic: DynamicEntries, _ body: (StringTable) throws(ELFFileError) -> Result
  ) throws(ELFFileError) -> Result {
    let isWhole = !reader.warnings.isEmpty
    let strings = try StringTable(of: self, dynamic, isWhole: isWhole)
    do throws(ELFFileError) {
      return try body(strings)
    } catch {
      guard !isWhole, let whole = try? StringTable(of: self, dynamic, isWhole: true),
        let result = try? body(whole)
      else { throw error }
      reader.warnings.append(
        "DT_STRSZ is \(strings.data.bytes.count), and names that lie behind it are shown too")
      return result
    }
  }
}
