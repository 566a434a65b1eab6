internal import CRebind
import Rebind
import RebindFiles

extension SymbolScope {
  /// The names of exported functions that are nearly a name that nothing has: those that differ
  /// in the fewest letters, three at most.
  ///
  /// - Complexity: O(symbols of all images).
  ///
  /// The corresponding C function is `crebind_name_edits`.
  func names(similarTo name: String) -> [String] {
    var found: (edits: Int, names: Set<String>) = (.max, [])
    forEachTable { table in
      for index in table.indices where table[index].isExportedFunction {
        let bytes = table.name(of: table[index])
        guard bytes.prefix(name.utf8.count + 3).contains(0), let start = bytes.baseAddress
        else { continue }
        let other = start.assumingMemoryBound(to: CChar.self)
        let edits = crebind_name_edits(name, other)
        guard edits > 0, edits <= found.edits else { continue }
        if edits < found.edits { found = (edits, []) }
        found.names.insert(String(cString: other))
      }
    }
    return Array(found.names.sorted().prefix(3))
  }
}

extension SymbolEntry {
  /// A function that others can bind to.
  fileprivate var isExportedFunction: Bool {
    isExported && (type == .function || type == .indirectFunction)
  }
}
