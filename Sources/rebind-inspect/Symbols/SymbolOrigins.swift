#if Commands

import ELFInspection
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

  /// Writes a line for each problem that keeps a loader from starting the program, and for each part that
  /// could not be read.
  func tell(of path: FilePath, _ writer: inout ReportWriter) {
    for problem in graph.problems { writer.find(path, problem) }
    for problem in scope.problems { writer.fail(path, problem) }
    for warning in graph.warnings { writer.warn(path, warning) }
  }

  /// Writes a line of a program's imports that a loader needs and that no library defines. A library may
  /// take what it needs from its program.
  func tellUnresolved(of path: FilePath, _ writer: inout ReportWriter) {
    guard graph.interpreter != nil else { return }
    do throws(ELFFileError) {
      let names = try scope.unresolvedImports(of: graph.images[0], at: 0)?.needed ?? []
      if names.isEmpty { return }
      let few = names.prefix(Self.mostNames).joined(separator: " ")
      let rest = names.count > Self.mostNames ? " ..." : ""
      let count = names.count == 1 ? "" : "\(names.count) imports: "
      writer.find(path, "no library defines \(count)\(few)\(rest)")
    } catch {
      writer.fail(path, error.message)
    }
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

  /// Writes the same as two cells of a row, the second with commas between the paths.
  func writeFlat(
    of symbol: SymbolEntry, _ index: Int, _ table: SymbolTable, isCSV: Bool,
    in output: inout OutputBuffer
  ) {
    var paths: [String] = []
    forEachOrigin(of: symbol, index, table) { paths.append($0.text) }
    let shadows = paths.dropFirst().joined(separator: ",")
    if isCSV {
      output.append(text: ",")
      if let first = paths.first { output.append(csv: first) }
      output.append(text: ",")
      output.append(csv: shadows)
    } else {
      output.append(key: "definedBy", text: paths.first ?? "")
      output.append(key: "shadows", text: shadows)
    }
  }

  /// How many names one line has: the output has them all.
  private static let mostNames = 3

  /// Calls `body` with the path that an import comes from, and those that this one shadows. A
  /// definition comes from nowhere else.
  func forEachOrigin(
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

#endif
