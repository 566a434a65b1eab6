import CLibelf
import Glibc
import Rebind

/// The relocations of an image: here, the symbols that they name. The corresponding tags are
/// `DT_RELA`, `DT_REL` and `DT_JMPREL`.
enum RelocationSymbols {
  /// The highest symbol index that a relocation names; 0 if none names a symbol.
  static func highestSymbolIndex(
    of file: ELFFile, _ dynamic: DynamicEntries
  ) throws(ELFFileError) -> UInt64 {
    var highest: UInt64 = 0
    if let address = dynamic[.addendRelocations], let size = dynamic[.addendRelocationsSize] {
      highest = max(highest, try scan(address, size, addends: true, file, "DT_RELA"))
    }
    if let address = dynamic[.relocations], let size = dynamic[.relocationsSize] {
      highest = max(highest, try scan(address, size, addends: false, file, "DT_REL"))
    }
    if let address = dynamic[.jumpSlotRelocations], let size = dynamic[.jumpSlotRelocationsSize] {
      let addends = dynamic[.jumpSlotRelocationsKind] == UInt64(DT_RELA)
      highest = max(highest, try scan(address, size, addends: addends, file, "DT_JMPREL"))
    }
    return highest
  }

  private static func scan(
    _ address: UInt64, _ size: UInt64, addends: Bool, _ file: ELFFile, _ field: String
  ) throws(ELFFileError) -> UInt64 {
    guard size > 0 else { return 0 }
    let data = try file.table(
      atAddress: address, count: size, entrySize: 1, as: addends ? ELF_T_RELA : ELF_T_REL,
      field: field)
    switch (file.reader.elfClass, addends) {
    case (.bits64, true):
      return highest(data.count(of: Elf64_Rela.self)) {
        symbol64(data.entry($0, as: Elf64_Rela.self).r_info, file)
      }
    case (.bits64, false):
      return highest(data.count(of: Elf64_Rel.self)) {
        symbol64(data.entry($0, as: Elf64_Rel.self).r_info, file)
      }
    case (.bits32, true):
      return highest(data.count(of: Elf32_Rela.self)) {
        UInt64(data.entry($0, as: Elf32_Rela.self).r_info >> 8)
      }
    case (.bits32, false):
      return highest(data.count(of: Elf32_Rel.self)) {
        UInt64(data.entry($0, as: Elf32_Rel.self).r_info >> 8)
      }
    }
  }

  private static func highest(_ count: Int, _ symbol: (Int) -> UInt64) -> UInt64 {
    (0..<count).reduce(0) { max($0, symbol($1)) }
  }

  /// The corresponding macro is `ELF64_R_SYM`.
  private static func symbol64(_ info: UInt64, _ file: ELFFile) -> UInt64 {
    // A little-endian MIPS file has the symbol's word first.
    file.reader.machine == .mips && file.reader.byteOrder == .little
      ? info & 0xffff_ffff : info >> 32
  }
}
