import Rebind
import RebindFiles

/// Which library each import of a file comes from.
struct SymbolOrigins {
  let graph: DependencyGraph
  let scope: SymbolScope

  init(of graph: DependencyGraph) {
    self.graph = graph
    scope = SymbolScope(of: graph)
  }

  /// What keeps a loader from starting the program, a line each.
  func problems(_ table: SymbolTable) -> [String] {
    var problems = graph.problems + scope.problems
    // A library may take what it needs from its program.
    let count = graph.interpreter == nil ? 0 : unresolvedCount(of: table)
    if count > 0 { problems.append("\(count) imports come from nowhere") }
    return problems
  }

  /// Writes two columns: the path that an import comes from, and those that this one shadows.
  func writeText(
    of symbol: SymbolEntry, _ index: Int, _ table: SymbolTable, in output: inout OutputBuffer
  ) {
    output.reserve(4)
    var count = 0
    forEachOrigin(of: symbol, index, table) { path in
      output.reserve(2)
      output.append(count < 2 ? 0x20 : 0x2c)
      output.append(path: path, .column)
      count += 1
    }
    output.reserve(4)
    for _ in min(count, 2)..<2 { output.append(" -") }
  }

  /// Writes two members of the symbol's object.
  func writeJSON(
    of symbol: SymbolEntry, _ index: Int, _ table: SymbolTable, in output: inout OutputBuffer
  ) {
    output.append(text: ",\"definedBy\":")
    var count = 0
    forEachOrigin(of: symbol, index, table) { path in
      output.append(text: count == 0 ? "\"" : count == 1 ? ",\"shadows\":[\"" : ",\"")
      output.append(path: path, .json)
      output.append(text: "\"")
      count += 1
    }
    output.append(text: count == 0 ? "null,\"shadows\":[]" : count == 1 ? ",\"shadows\":[]" : "]")
  }

  /// How many imports a loader needs that come from nowhere.
  private func unresolvedCount(of table: SymbolTable) -> Int {
    var count = 0
    for index in table.indices {
      let symbol = table[index]
      guard !symbol.isDefined, symbol.binding == .global, table.name(of: symbol)[0] != 0 else {
        continue
      }
      var isResolved = false
      forEachOrigin(of: symbol, index, table) { _ in isResolved = true }
      if !isResolved { count += 1 }
    }
    return count
  }

  /// What is defined comes from nowhere else.
  private func forEachOrigin(
    of symbol: SymbolEntry, _ index: Int, _ table: SymbolTable, _ body: (FilePath) -> Void
  ) {
    guard !symbol.isDefined else { return }
    let version = table.versions?.version(of: symbol, at: index)
      .map { table.strings.bytes(from: $0.nameOffset) }
    scope.forEachOffer(of: table.name(of: symbol), version: version) { image, _ in
      body(graph.images[image].path)
    }
  }
}

extension SymbolScope {
  /// The libraries that could not be read, a line each.
  var problems: [String] { errors.map(\.description) }
}
