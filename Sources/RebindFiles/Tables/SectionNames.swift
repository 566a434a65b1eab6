import CLibelf
import Glibc
import Rebind

/// The names of the sections. The corresponding field is `e_shstrndx`.
package struct SectionNames {
  private let data: TableData
  /// False if the file has no section of names.
  private let isPresent: Bool
  /// The number of bytes up to and with the last zero byte.
  private let count: Int

  package init(of file: ELFFile) throws(ELFFileError) {
    let reader = file.reader
    let headers = file.sectionHeaders
    // SHN_XINDEX: the index is more than the field can hold, and section 0 has it.
    let index =
      Int32(reader.header.e_shstrndx) == Int32(SHN_XINDEX)
      ? Int(headers.first?.link ?? 0) : Int(reader.header.e_shstrndx)
    guard !headers.isEmpty, index != 0 else {
      data = TableData(offset: 0, of: reader)
      isPresent = false
      count = 0
      return
    }
    guard index < headers.count else {
      throw reader.error(
        .malformed("is \(index), but the file has \(headers.count) sections"), field: "e_shstrndx",
        at: nil)
    }
    let header = headers[index]
    guard header.type != .noBits else {
      throw reader.error(
        .malformed("is \(index), a section that the file does not hold"), field: "e_shstrndx",
        at: nil)
    }
    data = try reader.data(
      at: header.offset, size: header.size, as: .bytes, field: "the section names (e_shstrndx)")
    isPresent = true
    count = data.bytes.lastIndex(of: 0).map { $0 + 1 } ?? 0
  }

  /// True if this is the section's name; false too if it has a broken one.
  func isName(of header: SectionHeader, _ name: String) -> Bool {
    guard header.nameOffset < data.bytes.count else { return false }
    // Not to its end, which for each section may be far away.
    let (rest, count) = (data.bytes[Int(header.nameOffset)...], name.utf8.count)
    return rest.count > count && rest.starts(with: name.utf8) && rest[rest.startIndex + count] == 0
  }

  /// The name of the section at an index; what is not UTF-8 becomes U+FFFD.
  package func name(of header: SectionHeader, at index: Int) throws(ELFFileError) -> String {
    guard isPresent else { return "" }
    guard let bytes = bytes(of: header) else {
      throw data.error(
        .malformed("of section \(index) is at \(header.nameOffset), behind the last one"),
        field: "sh_name")
    }
    return try data.text(bytes)
  }

  private func bytes(of header: SectionHeader) -> UnsafeRawBufferPointer? {
    bytes(from: header)?.untilZero
  }

  /// The bytes from the start of a section's name, which ends at the first zero byte, to the end of the last name;
  /// nil for a broken name.
  func bytes(from header: SectionHeader) -> UnsafeRawBufferPointer? {
    guard header.nameOffset < count else { return nil }
    return UnsafeRawBufferPointer(rebasing: data.bytes[Int(header.nameOffset)..<count])
  }
}
