package import ELFVocabulary

/// One entry of a symbol table, the same for both classes and byte orders.
package struct SymbolEntry {
  /// Where in the string table its name starts: `st_name`.
  package let nameOffset: UInt32
  package let value: UInt64
  package let size: UInt64
  package let type: SymbolType
  package let binding: SymbolBinding
  package let visibility: SymbolVisibility
  package let sectionIndex: UInt16

  @inlinable
  package init(_ entry: Symbol64) {
    self.init(
      nameOffset: entry.nameOffset, value: entry.value, size: entry.size,
      info: entry.info, other: entry.other, sectionIndex: entry.sectionIndex)
  }

  @inlinable
  package init(_ entry: Symbol32) {
    self.init(
      nameOffset: entry.nameOffset, value: UInt64(entry.value), size: UInt64(entry.size),
      info: entry.info, other: entry.other, sectionIndex: entry.sectionIndex)
  }

  @inlinable
  package init(
    nameOffset: UInt32, value: UInt64, size: UInt64, info: UInt8, other: UInt8,
    sectionIndex: UInt16
  ) {
    self.nameOffset = nameOffset
    self.value = value
    self.size = size
    type = SymbolType(rawValue: info & 0xf)
    binding = SymbolBinding(rawValue: info >> 4)
    visibility = SymbolVisibility(rawValue: other & 0x3)
    self.sectionIndex = sectionIndex
  }

  /// False if it is asked for here: its section is `SHN_UNDEF`.
  @inlinable
  package var isDefined: Bool { sectionIndex != 0 }

  /// True if other images can bind to it.
  @inlinable
  package var isExported: Bool {
    // STB_GLOBAL, STB_WEAK, STB_GNU_UNIQUE; STV_DEFAULT, STV_PROTECTED.
    isDefined
      && (binding.rawValue == 1 || binding.rawValue == 2 || binding.rawValue == 10)
      && (visibility.rawValue == 0 || visibility.rawValue == 3)
  }
}
