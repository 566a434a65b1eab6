import Glibc
import Rebind
import RebindFiles

/// The symbols of an image that others can bind to, by their names.
struct ExportedSymbols {
  let table: SymbolTable
  /// The first symbol of each hash, by its lower bits; 0 for none.
  private var heads: [UInt32]
  /// The next symbol of the same bits.
  private var next: [UInt32]

  init(of table: SymbolTable) {
    self.table = table
    var size = 1
    while size < table.count { size *= 2 }
    heads = Array(repeating: 0, count: size)
    next = Array(repeating: 0, count: table.count)
    // From the last one on, so that each list starts with the first.
    for index in table.indices.reversed() {
      let symbol = table[index]
      guard symbol.isExported, Self.isBindable(symbol) else { continue }
      let place = Self.hash(table.name(of: symbol)) & (size - 1)
      next[index] = heads[place]
      heads[place] = UInt32(truncatingIfNeeded: index)
    }
  }

  /// By the rules of glibc's `do_lookup_x`: a version must be equal, unless the definition has
  /// none; without one, the base version or else the default one is taken. musl takes the first
  /// that is not hidden behind another version.
  func offer(
    of name: UnsafeRawBufferPointer, _ hash: Int, version: UnsafeRawBufferPointer?,
    _ kind: LoaderKind
  ) -> Int? {
    var fallback: Int?
    var place = Int(heads[hash & (heads.count - 1)])
    while place != 0 {
      let index = place
      place = Int(next[index])
      let symbol = table[index]
      guard isName(table.name(of: symbol), name) else { continue }
      guard let versions = table.versions else { return index }
      let entry = VersionIndex(rawValue: versions.indices.entry(index, as: UInt16.self))
      if kind == .musl || !entry.hasName {
        if !entry.isHidden { return index }
        continue
      }
      if let version {
        if let defined = versions.names.defined(entry),
          isName(table.strings.bytes(from: defined), version)
        {
          return index
        }
      } else if entry.number == 2 {
        return index
      } else if !entry.isHidden, fallback == nil {
        fallback = index
      }
    }
    return fallback
  }

  /// False for what stands for nothing in memory.
  private static func isBindable(_ symbol: SymbolEntry) -> Bool {
    switch symbol.type {
    case .none, .object, .function, .common, .indirectFunction:
      symbol.value != 0 || symbol.sectionIndex == 0xfff1
    case .threadLocal: true
    default: false
    }
  }

  /// The hash of the bytes in front of the first zero.
  static func hash(_ name: UnsafeRawBufferPointer) -> Int {
    var hash: UInt32 = 5381
    for byte in name {
      if byte == 0 { break }
      hash = hash &* 33 &+ UInt32(byte)
    }
    return Int(hash)
  }
}
