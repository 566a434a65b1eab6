import CLibelf
import Glibc

/// One entry of a symbol table, the same for both classes and byte orders.
struct Symbol {
  /// Where in the string table its name starts: `st_name`.
  let nameOffset: UInt32
  let value: UInt64
  let size: UInt64
  let type: SymbolType
  let binding: SymbolBinding
  let visibility: SymbolVisibility
  let sectionIndex: SectionIndex

  init(_ entry: Elf64_Sym) {
    self.init(
      nameOffset: entry.st_name, value: entry.st_value, size: entry.st_size,
      info: entry.st_info, other: entry.st_other, sectionIndex: entry.st_shndx)
  }

  init(_ entry: Elf32_Sym) {
    self.init(
      nameOffset: entry.st_name, value: UInt64(entry.st_value), size: UInt64(entry.st_size),
      info: entry.st_info, other: entry.st_other, sectionIndex: entry.st_shndx)
  }

  private init(
    nameOffset: UInt32, value: UInt64, size: UInt64, info: UInt8, other: UInt8,
    sectionIndex: UInt16
  ) {
    self.nameOffset = nameOffset
    self.value = value
    self.size = size
    type = SymbolType(rawValue: info & 0xf)
    binding = SymbolBinding(rawValue: info >> 4)
    visibility = SymbolVisibility(rawValue: other & 0x3)
    self.sectionIndex = SectionIndex(rawValue: sectionIndex)
  }

  var isDefined: Bool { sectionIndex != .undefined }

  /// True if other images can bind to it.
  var isExported: Bool {
    isDefined
      && (binding == .global || binding == .weak || binding == .unique)
      && (visibility == .default || visibility == .protected)
  }
}
