import CLibelf
import Glibc
import Rebind

/// The version of one symbol.
package struct SymbolVersion {
  /// Where in the string table its name starts.
  package let nameOffset: UInt32
  /// True if it is what a reference without a version binds to.
  package let isDefault: Bool

  @inlinable
  package init(nameOffset: UInt32, isDefault: Bool) {
    self.nameOffset = nameOffset
    self.isDefault = isDefault
  }
}

/// The versions of an image's symbols: an index for each symbol, and a name for each index.
///
/// The corresponding tag is `DT_VERSYM`.
package struct VersionTable {
  @usableFromInline package let indices: TableData
  @usableFromInline package let names: VersionNames

  /// The versions of `count` symbols; nil if the image has none.
  init?(
    of file: ELFFile, _ dynamic: DynamicEntries, count: Int, strings: StringTable
  ) throws(ELFFileError) {
    guard let address = dynamic[.symbolVersions] else { return nil }
    indices = try file.table(
      atAddress: address, count: UInt64(count), entrySize: 2, as: ELF_T_HALF, field: "DT_VERSYM")
    names = try VersionNames(of: file, dynamic, strings: strings)
  }

  /// The version of the symbol at `index`; nil if it has none.
  @inlinable
  package func version(of symbol: SymbolEntry, at index: Int) -> SymbolVersion? {
    let entry = VersionIndex(rawValue: indices.entry(index, as: UInt16.self))
    guard entry.hasName else { return nil }
    if symbol.isDefined, let name = names.defined(entry) {
      // A symbol of the same name stands for the version itself.
      if name == symbol.nameOffset { return nil }
      return SymbolVersion(nameOffset: name, isDefault: !entry.isHidden)
    }
    // A defined symbol too can have a needed version: a variable copied from another image.
    return names.needed(entry).map { SymbolVersion(nameOffset: $0, isDefault: false) }
  }

  /// Throws if the symbol's version is one that the image neither defines nor needs.
  func check(symbolAt index: Int) throws(ELFFileError) {
    let entry = VersionIndex(rawValue: indices.entry(index, as: UInt16.self))
    guard !entry.hasName || names.defined(entry) != nil || names.needed(entry) != nil else {
      throw indices.error(
        .malformed("names the missing version \(entry.number) for symbol \(index)"),
        field: "DT_VERSYM", distance: 2 * index)
    }
  }
}

/// An entry of `DT_VERSYM`, or the like number of a version.
package struct VersionIndex: RawRepresentable {
  package let rawValue: UInt16

  @inlinable
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// True if a reference without a version does not bind to it.
  @inlinable
  package var isHidden: Bool { rawValue & 0x8000 != 0 }
  @inlinable
  package var number: Int { Int(rawValue & 0x7fff) }
  /// False for `VER_NDX_LOCAL` and `VER_NDX_GLOBAL`, which are no versions.
  @inlinable
  package var hasName: Bool { number > 1 }
}
