import CLibelf
import Glibc

/// One section header, the same for both classes.
struct Section {
  let type: SectionType
  /// True if it is part of the loaded image. The corresponding flag is `SHF_ALLOC`.
  let isAllocated: Bool
  let offset: UInt64
  let size: UInt64
  /// A number that depends on the type: `sh_info`.
  let info: UInt32
  let entrySize: UInt64

  init(_ header: Elf64_Shdr) {
    type = SectionType(rawValue: header.sh_type)
    isAllocated = header.sh_flags & UInt64(SHF_ALLOC) != 0
    offset = header.sh_offset
    size = header.sh_size
    info = header.sh_info
    entrySize = header.sh_entsize
  }

  init(_ header: Elf32_Shdr) {
    type = SectionType(rawValue: header.sh_type)
    isAllocated = header.sh_flags & UInt32(SHF_ALLOC) != 0
    offset = UInt64(header.sh_offset)
    size = UInt64(header.sh_size)
    info = header.sh_info
    entrySize = UInt64(header.sh_entsize)
  }

  /// The section headers of a file, each found to lie inside it; none if they are stripped.
  ///
  /// The corresponding fields are `e_shoff`, `e_shnum` and `e_shentsize`.
  static func all(of reader: ELFReader) throws(InputError) -> [Section] {
    guard let first = try first(of: reader) else { return [] }
    // More than the field can count: section 0 has the number.
    let count = reader.header.e_shnum == 0 ? first.size : UInt64(reader.header.e_shnum)
    let table = try table(of: reader, count: count)

    var sections: [Section] = []
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
  static func first(of reader: ELFReader) throws(InputError) -> Section? {
    let header = reader.header
    guard header.e_shoff != 0, header.e_shnum != 0 || header.e_shentsize != 0 else { return nil }
    return section(0, in: try table(of: reader, count: 1), of: reader)
  }

  private static func table(of reader: ELFReader, count: UInt64) throws(InputError) -> TableData {
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

  private static func section(_ index: Int, in table: TableData, of reader: ELFReader) -> Section {
    reader.elfClass == .bits64
      ? Section(table.entry(index, as: Elf64_Shdr.self))
      : Section(table.entry(index, as: Elf32_Shdr.self))
  }
}

/// What a section holds. The corresponding field is `sh_type`.
struct SectionType: RawRepresentable, Equatable {
  let rawValue: UInt32

  /// Not used. The corresponding constant is `SHT_NULL`.
  static var null: Self { Self(rawValue: UInt32(SHT_NULL)) }
  /// Notes, such as the build-id. The corresponding constant is `SHT_NOTE`.
  static var note: Self { Self(rawValue: UInt32(SHT_NOTE)) }
  /// Nothing in the file. The corresponding constant is `SHT_NOBITS`.
  static var noBits: Self { Self(rawValue: UInt32(SHT_NOBITS)) }
  /// The dynamic symbols. The corresponding constant is `SHT_DYNSYM`.
  static var dynamicSymbols: Self { Self(rawValue: UInt32(SHT_DYNSYM)) }
}
