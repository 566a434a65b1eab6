import CLibelf
import Glibc
import Rebind

extension Segment {
  init(_ header: Elf64_Phdr) {
    self.init(
      type: SegmentType(rawValue: header.p_type),
      permissions: SegmentPermissions(rawValue: header.p_flags), fileOffset: header.p_offset,
      address: header.p_vaddr, fileSize: header.p_filesz, memorySize: header.p_memsz,
      alignment: header.p_align)
  }

  init(_ header: Elf32_Phdr) {
    self.init(
      type: SegmentType(rawValue: header.p_type),
      permissions: SegmentPermissions(rawValue: header.p_flags),
      fileOffset: UInt64(header.p_offset), address: UInt64(header.p_vaddr),
      fileSize: UInt64(header.p_filesz), memorySize: UInt64(header.p_memsz),
      alignment: UInt64(header.p_align))
  }

  /// The program headers of a file. Their ranges are not checked yet.
  ///
  /// The corresponding fields are `e_phoff`, `e_phnum` and `e_phentsize`.
  static func all(of reader: ELFReader) throws(ELFFileError) -> [Segment] {
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
      ? try SectionHeader.first(of: reader).map { UInt64($0.info) } ?? UInt64(PN_XNUM)
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
