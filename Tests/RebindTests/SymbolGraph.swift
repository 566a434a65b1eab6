import TestSupport

/// The symbols of a built module, as documentation tools see them.
struct SymbolGraph: Decodable {
  struct Symbol: Decodable {
    struct Comment: Decodable {}
    struct Fragment: Decodable { var spelling: String }
    struct Identifier: Decodable { var precise: String }

    var identifier: Identifier
    var pathComponents: [String]
    var docComment: Comment?
    var declarationFragments: [Fragment]?

    var path: String { pathComponents.joined(separator: ".") }

    /// The words of the declaration.
    var words: Set<String> { Set(declaration.matches(of: /\w+/).map { String($0.output) }) }

    /// The last component without labels.
    var name: String { String(pathComponents.last!.prefix { $0 != "(" }) }

    /// The declaration as the source has it, on one line.
    var declaration: String {
      (declarationFragments ?? []).map(\.spelling).joined()
        .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
  }

  struct Relationship: Decodable {
    var kind: String
    var source: String
    var target: String
    /// The target's name, if it is another module's.
    var targetFallback: String?
  }

  var symbols: [Symbol]
  var relationships: [Relationship]

  /// The public symbols of a module that was built beside the tests; those that implement a
  /// documented requirement have its comment. The module's additions to others' types are in files
  /// of its own.
  init(of module: String) throws {
    let output = try TemporaryDirectory()
    let target = try JSONDecoder().decode(
      TargetInformation.self, from: run("swiftc", ["-print-target-info"]).standardOutput)
    let headers = [
      "CRebind/include", "CRebindCounting/include", "CRebindReach/include",
      "CRebindStubs/include", "CRebindTesting/include", "CLibelf/include",
    ].map {
      Places.package.appending(path: "Sources/\($0)").path
    }
    let result = try run(
      "swift-symbolgraph-extract",
      [
        "-module-name", module, "-target", target.target.triple,
        "-I", Places.products.appending(path: "Modules").path,
        "-minimum-access-level", "public", "-skip-synthesized-members",
        "-output-dir", output.url.path,
      ] + headers.flatMap { ["-Xcc", "-I\($0)"] })
    guard result.succeeded else { throw ExtractionFailure(output: result.errorOutput) }
    let graphs = try FileManager.default
      .contentsOfDirectory(at: output.url, includingPropertiesForKeys: nil)
      .map { try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: $0)) }
    // A conformance of another module's type shows that type's own members, too.
    symbols = graphs.flatMap(\.symbols).filter {
      !$0.identifier.precise.contains("::SYNTHESIZED::")
    }
    relationships = graphs.flatMap(\.relationships)
  }

  /// A line for each declaration, with what a type conforms to, and for each type of others that has been made
  /// to conform.
  func interface() throws -> [String] {
    let names = Dictionary(
      symbols.map { ($0.identifier.precise, $0.path) }, uniquingKeysWith: { first, _ in first })
    // All types have these; Hashable and Comparable say Equatable.
    let implied: Set = ["Copyable", "Escapable", "SendableMetatype", "Equatable"]
    var conformances: [String: Set<String>] = [:]
    for relationship in relationships where relationship.kind == "conformsTo" {
      let name =
        names[relationship.target]
        ?? relationship.targetFallback.map { String($0.split(separator: ".").last!) }
      guard let name, !implied.contains(name) else { continue }
      conformances[relationship.source, default: []].insert(name)
    }
    func list(_ source: String) -> String? {
      conformances[source]?.sorted().joined(separator: ", ")
    }
    let declarations = symbols.map { symbol in
      let conformances = list(symbol.identifier.precise).map { " (\($0))" } ?? ""
      return "\(symbol.path): \(symbol.declaration)\(conformances)"
    }
    let others = conformances.keys.filter { names[$0] == nil }.sorted()
    let demangled = try run(
      "swift-demangle", ["-compact"] + others.map { "$s" + $0.dropFirst(2) })
    guard demangled.succeeded else { throw ExtractionFailure(output: demangled.errorOutput) }
    let otherTypes = demangled.output.split(separator: "\n").map(String.init)
    return
      (declarations + zip(otherTypes, others).map { "\($0) conforms to \(list($1)!)" }).sorted()
  }
}

/// The output of `swiftc -print-target-info`.
private struct TargetInformation: Decodable {
  struct Target: Decodable { var triple: String }

  var target: Target
}

struct ExtractionFailure: Error, CustomStringConvertible {
  var output: String
  var description: String { "swift-symbolgraph-extract failed:\n\(output)" }
}
