package import CLibelf
import Glibc
package import ELFVocabulary

extension Segment {
  package init(_ header: Elf64_Phdr) {
    self.init(
      type: SegmentType(rawValue: header.p_type),
      permissions: SegmentPermissions(rawValue: header.p_flags), fileOffset: header.p_offset,
      address: header.p_vaddr, fileSize: header.p_filesz, memorySize: header.p_memsz,
      alignment: header.p_align)
  }

  package init(_ header: Elf32_Phdr) {
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
    let is64 = reader.elfClass == .bits64
    guard let table = try table(of: reader) else { return [] }
    var segments: [Segment] = []
    for index in 0..<(is64 ? table.count(of: Elf64_Phdr.self) : table.count(of: Elf32_Phdr.self)) {
      let segment =
        is64
        ? Segment(table.entry(index, as: Elf64_Phdr.self))
        : Segment(table.entry(index, as: Elf32_Phdr.self))
      segments.append(segment)
    }
    return segments
  }

  /// The physical address of each program header, which no loader looks at: `p_paddr`.
  package static func physicalAddresses(of reader: ELFReader) throws(ELFFileError) -> [UInt64] {
    guard let table = try table(of: reader) else { return [] }
    return reader.elfClass == .bits64
      ? (0..<table.count(of: Elf64_Phdr.self)).map {
        table.entry($0, as: Elf64_Phdr.self).p_paddr
      }
      : (0..<table.count(of: Elf32_Phdr.self)).map {
        UInt64(table.entry($0, as: Elf32_Phdr.self).p_paddr)
      }
  }

  /// Nil if the file has none.
  private static func table(of reader: ELFReader) throws(ELFFileError) -> TableData? {
    let header = reader.header
    guard header.e_phoff != 0, header.e_phnum != 0 else { return nil }
    let is64 = reader.elfClass == .bits64
    let entrySize = is64 ? MemoryLayout<Elf64_Phdr>.size : MemoryLayout<Elf32_Phdr>.size
    guard header.e_phentsize == entrySize else {
      throw reader.error(
        .malformed("is \(header.e_phentsize), not \(entrySize)"), field: "e_phentsize", at: nil)
    }
    // PN_XNUM: their number does not fit into the field, and section 0 has it.
    let count =
      header.e_phnum == PN_XNUM
      ? try SectionHeader.first(of: reader).map { UInt64($0.info) } ?? UInt64(PN_XNUM)
      : UInt64(header.e_phnum)
    return try reader.table(
      at: header.e_phoff, count: count, entrySize: UInt64(entrySize), as: ELF_T_PHDR,
      field: "the program header table (e_phoff)")
  }
}

extension Segment {
  /// The link-time addresses that it takes in memory; empty if they leave the address space.
  package var addresses: Range<UInt64> {
    let (end, overflow) = address.addingReportingOverflow(memorySize)
    return overflow ? address..<address : address..<end
  }
}
