import CLibelf
import Glibc
import Rebind

/// One relocation, the same for both classes, with an addend or without.
struct RelocationEntry {
  /// The link-time address of the word; in an object file, its offset in the section.
  let address: UInt64
  let type: UInt32
  let symbol: Int
  /// Nil if it is the word in place.
  let addend: UInt64?

  /// Calls `body` with each relocation of a table.
  ///
  /// - Complexity: O(*n*), where *n* is the number of relocations.
  @inline(__always)
  static func forEach(
    in table: TableData, addends: Bool, of reader: ELFReader,
    _ body: (RelocationEntry, Int) throws(ELFFileError) -> Void
  ) throws(ELFFileError) {
    switch (reader.elfClass, addends) {
    case (.bits64, true):
      for index in 0..<table.count(of: Elf64_Rela.self) {
        let entry = table.entry(index, as: Elf64_Rela.self)
        let (symbol, type) = split(entry.r_info, reader)
        try body(
          Self(
            address: entry.r_offset, type: type, symbol: symbol,
            addend: UInt64(bitPattern: entry.r_addend)), index)
      }
    case (.bits64, false):
      for index in 0..<table.count(of: Elf64_Rel.self) {
        let entry = table.entry(index, as: Elf64_Rel.self)
        let (symbol, type) = split(entry.r_info, reader)
        try body(
          Self(address: entry.r_offset, type: type, symbol: symbol, addend: nil), index)
      }
    case (.bits32, true):
      for index in 0..<table.count(of: Elf32_Rela.self) {
        let entry = table.entry(index, as: Elf32_Rela.self)
        try body(
          Self(
            address: UInt64(entry.r_offset), type: entry.r_info & 0xff,
            symbol: Int(entry.r_info >> 8),
            addend: UInt64(bitPattern: Int64(entry.r_addend))), index)
      }
    case (.bits32, false):
      for index in 0..<table.count(of: Elf32_Rel.self) {
        let entry = table.entry(index, as: Elf32_Rel.self)
        try body(
          Self(
            address: UInt64(entry.r_offset), type: entry.r_info & 0xff,
            symbol: Int(entry.r_info >> 8), addend: nil), index)
      }
    }
  }

  /// The symbol's index and the type. The corresponding macros are `ELF64_R_SYM` and
  /// `ELF64_R_TYPE`.
  @inline(__always)
  private static func split(_ info: UInt64, _ reader: ELFReader) -> (Int, UInt32) {
    // A little-endian MIPS file has the symbol's word first, and the type last.
    reader.machine == .mips && reader.byteOrder == .little
      ? (Int(info & 0xffff_ffff), UInt32(info >> 56))
      : (Int(info >> 32), UInt32(truncatingIfNeeded: info))
  }
}
