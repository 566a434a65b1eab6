import CLibelf
import Glibc
package import ELFVocabulary
import Rebind

/// One section header, the same for both classes.
package struct SectionHeader {
  /// Where the name starts in the section of names: `sh_name`.
  let nameOffset: UInt32
  package let type: SectionType
  let flags: SectionFlags
  package let address: UInt64
  package let offset: UInt64
  package let size: UInt64
  /// The index of another section, by the type: `sh_link`.
  let link: UInt32
  /// A number that depends on the type: `sh_info`.
  let info: UInt32
  package let alignment: UInt64
  let entrySize: UInt64

  init(_ header: Elf64_Shdr) {
    nameOffset = header.sh_name
    type = SectionType(rawValue: header.sh_type)
    flags = SectionFlags(rawValue: header.sh_flags)
    address = header.sh_addr
    offset = header.sh_offset
    size = header.sh_size
    link = header.sh_link
    info = header.sh_info
    alignment = header.sh_addralign
    entrySize = header.sh_entsize
  }

  init(_ header: Elf32_Shdr) {
    nameOffset = header.sh_name
    type = SectionType(rawValue: header.sh_type)
    flags = SectionFlags(rawValue: UInt64(header.sh_flags))
    address = UInt64(header.sh_addr)
    offset = UInt64(header.sh_offset)
    size = UInt64(header.sh_size)
    link = header.sh_link
    info = header.sh_info
    alignment = UInt64(header.sh_addralign)
    entrySize = UInt64(header.sh_entsize)
  }

  /// The section, with the name that the header leads to.
  func section(named name: String, path: String) -> Section {
    Section(
      name: name, address: address, size: size, type: type, flags: flags, alignment: alignment,
      entrySize: entrySize, provenance: .file(path))
  }

  /// True if it is part of the loaded image.
  var isAllocated: Bool { flags.contains(.allocated) }

  /// The section headers of a file, each found to lie inside it; none if they are stripped.
  ///
  /// The corresponding fields are `e_shoff`, `e_shnum` and `e_shentsize`.
  static func all(of reader: ELFReader) throws(ELFFileError) -> [SectionHeader] {
    guard let first = try first(of: reader) else { return [] }
    // More than the field can count: section 0 has the number.
    let count = reader.header.e_shnum == 0 ? first.size : UInt64(reader.header.e_shnum)
    let table = try table(of: reader, count: count)

    var sections: [SectionHeader] = []
    for index in 0..<Int(count) {
      let section = section(index, in: table, of: reader)
      if section.type != .null, section.type != .noBits {
        try reader.check(section.offset, section.size, field: "section header \(index)")
      }
      sections.append(section)
    }
    return sections
  }

  /// Section 0, which has the numbers that are too large for the ELF header.
  static func first(of reader: ELFReader) throws(ELFFileError) -> SectionHeader? {
    let header = reader.header
    guard header.e_shoff != 0, header.e_shnum != 0 || header.e_shentsize != 0 else { return nil }
    return section(0, in: try table(of: reader, count: 1), of: reader)
  }

  private static func table(of reader: ELFReader, count: UInt64) throws(ELFFileError) -> TableData {
    let header = reader.header
    let entrySize =
      reader.elfClass == .bits64 ? MemoryLayout<Elf64_Shdr>.size : MemoryLayout<Elf32_Shdr>.size
    guard header.e_shentsize == entrySize else {
      throw reader.error(
        .malformed("is \(header.e_shentsize), not \(entrySize)"), field: "e_shentsize", at: nil)
    }
    return try reader.table(
      at: header.e_shoff, count: count, entrySize: UInt64(entrySize), as: ELF_T_SHDR,
      field: "the section header table (e_shoff)")
  }

  private static func section(_ index: Int, in table: TableData, of reader: ELFReader)
    -> SectionHeader
  {
    reader.elfClass == .bits64
      ? SectionHeader(table.entry(index, as: Elf64_Shdr.self))
      : SectionHeader(table.entry(index, as: Elf32_Shdr.self))
  }
}
