internal import CRebind
import Rebind
import RebindFiles

extension SymbolScope {
  /// The names of exported functions that are nearly a name that nothing has. That is the first mangled
  /// name of Swift that has it as an identifier, or else those that differ in the fewest letters, three at most.
  ///
  /// - Complexity: O(symbols of all images).
  ///
  /// The corresponding C function is `crebind_name_edits`.
  func names(similarTo name: String) -> [String] {
    var found: (edits: Int, names: Set<String>) = (.max, [])
    forEachTable { table in
      for index in table.indices where table[index].isExportedFunction {
        let bytes = table.name(of: table[index])
        let isOfSwift = bytes.starts(with: "$s".utf8)
        guard let start = bytes.baseAddress,
          bytes.prefix(isOfSwift ? bytes.count : name.utf8.count + 3).contains(0)
        else { continue }
        let other = start.assumingMemoryBound(to: CChar.self)
        if found.edits > 0, isMangled(String(cString: other), of: name) {
          found = (0, [String(cString: other)])
        }
        let edits = crebind_name_edits(name, other)
        guard edits > 0, edits <= found.edits else { continue }
        if edits < found.edits { found = (edits, []) }
        found.names.insert(String(cString: other))
      }
    }
    return Array(found.names.sorted().prefix(3))
  }
}

/// True for a mangled name of Swift that has an identifier of such a length that somebody types it.
private func isMangled(_ other: String, of identifier: String) -> Bool {
  guard other.hasPrefix("$s"), (3...63).contains(identifier.utf8.count) else { return false }
  return other.ranges(of: "\(identifier.utf8.count)\(identifier)").contains {
    !other[other.index(before: $0.lowerBound)].isNumber
  }
}

extension SymbolEntry {
  /// A function that others can bind to.
  fileprivate var isExportedFunction: Bool {
    isExported && (type == .function || type == .indirectFunction)
  }
}
