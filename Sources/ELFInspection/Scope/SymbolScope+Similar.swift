internal import CRebind
import Rebind
import RebindFiles

extension SymbolScope {
  /// The names of exported functions that are nearly a name that nothing has. Gives the first
  /// mangled name of Swift with that identifier, or else up to three names with the fewest edits.
  ///
  /// - Complexity: O(symbols of all images).
  ///
  /// The corresponding C function is `crebind_name_edits`.
  func names(similarTo name: String) -> [String] {
    var found: (edits: Int, names: Set<String>) = (.max, [])
    // Mangled names have it as `5print`. Nobody types a longer one.
    let identifier = (3...63).contains(name.utf8.count) ? "\(name.utf8.count)\(name)" : nil
    forEachTable { table in
      for index in table.indices where table[index].isExportedFunction {
        let bytes = table.name(of: table[index])
        let isOfSwift = bytes.starts(with: "$s".utf8)
        guard let start = bytes.baseAddress,
          bytes.prefix(isOfSwift ? bytes.count : name.utf8.count + 3).contains(0)
        else { continue }
        let other = start.assumingMemoryBound(to: CChar.self)
        if isOfSwift, found.edits > 0, let identifier {
          let mangled = String(cString: other)
          if mangled.hasIdentifier(identifier) { found = (0, [mangled]) }
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

extension String {
  /// True if the identifier, with its length in front, is not a part of a longer number and name.
  fileprivate func hasIdentifier(_ identifier: String) -> Bool {
    ranges(of: identifier).contains {
      $0.lowerBound == startIndex || !self[index(before: $0.lowerBound)].isNumber
    }
  }
}

extension SymbolEntry {
  /// A function that others can bind to.
  fileprivate var isExportedFunction: Bool {
    isExported && (type == .function || type == .indirectFunction)
  }
}
