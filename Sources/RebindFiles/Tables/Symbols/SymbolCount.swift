import CLibelf
import Glibc
import Rebind

/// The number of dynamic symbols, and its source: no tag of the dynamic table has it.
package struct SymbolCount {
  /// The number, the null symbol included.
  let value: UInt64
  package let source: Source

  /// The sources of the number, in the order of trust.
  package enum Source: String {
    /// The section header, if no hash table knows of more symbols.
    case sectionHeader = "SHT_DYNSYM"
    /// The section header of the symbols that linkers read.
    case linkers = "SHT_SYMTAB"
    /// The hash table that has all symbols.
    case hash = "DT_HASH"
    /// The hash table that has the exported symbols, which come last.
    case gnuHash = "DT_GNU_HASH"
    /// The highest symbol index that a relocation names.
    case relocations = "relocations"

    /// True if no section header has the number.
    package var isCounted: Bool { self != .sectionHeader && self != .linkers }
  }

  /// The number of symbols of a table at `offset`, of `entrySize` bytes each.
  init(
    of file: ELFFile, _ dynamic: DynamicEntries, tableAt offset: UInt64, entrySize: UInt64
  ) throws(ELFFileError) {
    let section = file.sectionHeaders.first { $0.type == .dynamicSymbols && $0.offset == offset }
    let inSection = section.map { $0.size / entrySize }
    let hashed: UInt64? =
      if let address = dynamic[.hash] {
        try SymbolHashTable.symbolCount(address, in: file)
      } else {
        nil
      }
    let leastHashed: UInt64? =
      if let address = dynamic[.gnuHash] {
        try SymbolHashTable.leastSymbolCount(address, in: file)
      } else {
        nil
      }

    if let inSection, inSection >= hashed ?? 0, inSection >= leastHashed ?? 0 {
      self.init(value: inSection, source: .sectionHeader)
    } else if let hashed {
      self.init(value: hashed, source: .hash)
    } else {
      // A GNU hash table may have none of the symbols that the image imports.
      let named = try Self.highestNamedSymbol(of: file, dynamic) + 1
      if let leastHashed, leastHashed >= named {
        self.init(value: leastHashed, source: .gnuHash)
      } else {
        self.init(value: named, source: .relocations)
      }
    }
  }

  /// The highest symbol index that a relocation names; 0 if none names a symbol.
  private static func highestNamedSymbol(
    of file: ELFFile, _ dynamic: DynamicEntries
  ) throws(ELFFileError) -> UInt64 {
    var highest = 0
    for table in try file.dynamicRelocationTables(dynamic) where table.kind != .relative {
      for index in 0..<table.count { highest = max(highest, table[index].symbol) }
    }
    return UInt64(highest)
  }

  private init(value: UInt64, source: Source) {
    self.value = value
    self.source = source
  }
}
