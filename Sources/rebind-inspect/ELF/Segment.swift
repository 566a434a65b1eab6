import CLibelf
import Glibc

/// One program header, the same for both classes.
struct Segment {
  let type: SegmentType
  let offset: UInt64
  let address: UInt64
  /// How many of its bytes are in the file: `p_filesz`.
  let fileSize: UInt64

  init(_ header: Elf64_Phdr) {
    type = SegmentType(rawValue: header.p_type)
    offset = header.p_offset
    address = header.p_vaddr
    fileSize = header.p_filesz
  }

  init(_ header: Elf32_Phdr) {
    type = SegmentType(rawValue: header.p_type)
    offset = UInt64(header.p_offset)
    address = UInt64(header.p_vaddr)
    fileSize = UInt64(header.p_filesz)
  }

  /// The program headers of a file. Their ranges are not checked yet.
  ///
  /// The corresponding fields are `e_phoff`, `e_phnum` and `e_phentsize`.
  static func all(of reader: ELFReader) throws(InputError) -> [Segment] {
    let header = reader.header
    guard header.e_phoff != 0, header.e_phnum != 0 else { return [] }
    let is64 = reader.elfClass == .bits64
    let entrySize = is64 ? MemoryLayout<Elf64_Phdr>.size : MemoryLayout<Elf32_Phdr>.size
    guard header.e_phentsize == entrySize else {
      throw reader.error(
        .malformed("is \(header.e_phentsize), not \(entrySize)"), field: "e_phentsize", at: nil)
    }
    // PN_XNUM: there are more than the field can count, and section 0 has the number.
    let count =
      header.e_phnum == PN_XNUM
      ? try Section.first(of: reader).map { UInt64($0.info) } ?? UInt64(PN_XNUM)
      : UInt64(header.e_phnum)
    let table = try reader.table(
      at: header.e_phoff, count: count, entrySize: UInt64(entrySize), as: ELF_T_PHDR,
      field: "the program header table (e_phoff)")

    var segments: [Segment] = []
    for index in 0..<Int(count) {
      let segment =
        is64
        ? Segment(table.entry(index, as: Elf64_Phdr.self))
        : Segment(table.entry(index, as: Elf32_Phdr.self))
      segments.append(segment)
    }
    return segments
  }
}

/// What a segment is for. The corresponding field is `p_type`.
struct SegmentType: RawRepresentable, Equatable {
  let rawValue: UInt32

  /// Not used. The corresponding constant is `PT_NULL`.
  static var null: Self { Self(rawValue: UInt32(PT_NULL)) }
  /// Mapped into memory. The corresponding constant is `PT_LOAD`.
  static var load: Self { Self(rawValue: UInt32(PT_LOAD)) }
  /// The dynamic table. The corresponding constant is `PT_DYNAMIC`.
  static var dynamic: Self { Self(rawValue: UInt32(PT_DYNAMIC)) }
}
