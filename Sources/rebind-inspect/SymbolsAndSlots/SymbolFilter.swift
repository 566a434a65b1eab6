#if Commands

import Glibc
import Rebind
import RebindFiles

/// Which symbols are asked for, and in which order.
struct SymbolFilter {
  let part: SymbolSelection
  let isWeak: Bool
  /// Any of these; empty for all, here and below.
  let names: [NamePattern]
  /// True if a pattern may match the readable name of a symbol too.
  let isReadable: Bool
  /// The readable names; a symbol of one of these or of `names` is asked for.
  let readable: ReadableNames
  let versions: [NamePattern]
  let types: [SymbolType]
  let sizes: [ClosedRange<UInt64>]
  let order: SymbolOrder
  /// The only places in the table that are asked for; nil for all.
  var places: Set<Int>?

  /// Calls `body` with the index of each symbol that is asked for, and the symbol.
  ///
  /// - Complexity: O(*n*) by index and else O(*n* log *n*), where *n* is the number of symbols.
  @inline(__always)
  func forEach(in table: SymbolTable, _ body: (Int, SymbolEntry) -> Void) {
    if order == .index {
      var demangler = Demangler()
      let isFurther = isFurther
      for index in table.indices {
        let symbol = table[index]
        if part.contains(symbol, index, of: table),
          !isFurther || passes(symbol, index, of: table, &demangler)
        {
          body(index, symbol)
        }
      }
    } else {
      for index in sorted(table) { body(index, table[index]) }
    }
  }

  /// True if it looks at more than `part`.
  private var isFurther: Bool {
    places != nil || isWeak || !names.isEmpty || !readable.isEmpty || !versions.isEmpty
      || !types.isEmpty
      || !sizes.isEmpty
  }

  private func passes(
    _ symbol: SymbolEntry, _ index: Int, of table: SymbolTable, _ demangler: inout Demangler
  ) -> Bool {
    if let places, !places.contains(index) { return false }
    if isWeak, symbol.binding != .weak { return false }
    if !types.isEmpty, !types.contains(symbol.type) { return false }
    if !sizes.isEmpty, !sizes.contains(where: { $0.contains(symbol.size) }) { return false }
    if !versions.isEmpty {
      guard let version = table.versions?.version(of: symbol, at: index) else { return false }
      let name = table.strings.bytes(from: version.nameOffset)
      guard versions.contains(where: { $0.matches(name) }) else { return false }
    }
    if names.isEmpty, readable.isEmpty { return true }
    let name = table.name(of: symbol)
    if names.contains(where: { $0.matches(name) }) || readable.matches(name) { return true }
    guard isReadable, let readable = demangler.demangle(name) else { return false }
    return names.contains { $0.matches(readable) }
  }

  /// Equal ones stay in the order of the table.
  private func sorted(_ table: SymbolTable) -> [Int] {
    var indices: [Int] = []
    var demangler = Demangler()
    for index in table.indices
    where part.contains(table[index], index, of: table)
      && passes(table[index], index, of: table, &demangler)
    {
      indices.append(index)
    }
    switch order {
    case .index: break
    case .name:
      indices.sort {
        let order = Self.compare(table.name(of: table[$0]), table.name(of: table[$1]))
        return order != 0 ? order < 0 : $0 < $1
      }
    case .value:
      indices.sort { (table[$0].value, $0) < (table[$1].value, $1) }
    case .size:
      indices.sort {
        let (size, other) = (table[$0].size, table[$1].size)
        return size != other ? size > other : $0 < $1
      }
    }
    return indices
  }

  /// By their bytes, up to the first zero.
  private static func compare(_ name: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer)
    -> Int32
  {
    guard let name = name.assumingMemoryBound(to: CChar.self).baseAddress,
      let other = other.assumingMemoryBound(to: CChar.self).baseAddress
    else { return 0 }
    return strcmp(name, other)
  }
}

/// The values of `--sort`.
enum SymbolOrder: String, CaseIterable {
  case index, name, value, size
}

#endif
