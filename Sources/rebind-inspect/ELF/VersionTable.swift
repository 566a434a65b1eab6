import CLibelf
import Glibc

/// The version of one symbol.
struct SymbolVersion {
  /// Where in the string table its name starts.
  let nameOffset: UInt32
  /// True if it is what a reference without a version binds to.
  let isDefault: Bool
}

/// The versions of an image's symbols: an index for each symbol, and a name for each index.
///
/// The corresponding tag is `DT_VERSYM`.
struct VersionTable {
  private let indices: TableData
  private let names: VersionNames

  /// The versions of `count` symbols; nil if the image has none.
  init?(
    of file: ELFFile, _ dynamic: DynamicTable, count: Int, strings: StringTable
  ) throws(InputError) {
    guard let address = dynamic[.symbolVersions] else { return nil }
    indices = try file.table(
      atAddress: address, count: UInt64(count), entrySize: 2, as: ELF_T_HALF, field: "DT_VERSYM")
    names = try VersionNames(of: file, dynamic, strings: strings)
  }

  /// The version of the symbol at `index`; nil if it has none.
  func version(of symbol: Symbol, at index: Int) -> SymbolVersion? {
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
  func check(symbolAt index: Int) throws(InputError) {
    let entry = VersionIndex(rawValue: indices.entry(index, as: UInt16.self))
    guard !entry.hasName || names.defined(entry) != nil || names.needed(entry) != nil else {
      throw indices.error(
        .malformed("names version \(entry.number) for symbol \(index), and there is none"),
        field: "DT_VERSYM", distance: 2 * index)
    }
  }
}

/// An entry of `DT_VERSYM`, or the like number of a version.
struct VersionIndex: RawRepresentable {
  let rawValue: UInt16

  /// True if a reference without a version does not bind to it.
  var isHidden: Bool { rawValue & 0x8000 != 0 }
  var number: Int { Int(rawValue & 0x7fff) }
  /// False for `VER_NDX_LOCAL` and `VER_NDX_GLOBAL`, which are no versions.
  var hasName: Bool { number > VER_NDX_GLOBAL }
}
