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

    /// The declaration as the source has it, on one line.
    var declaration: String {
      (declarationFragments ?? []).map(\.spelling).joined()
        .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
  }

  var symbols: [Symbol]

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
    symbols = try FileManager.default
      .contentsOfDirectory(at: output.url, includingPropertiesForKeys: nil)
      .flatMap { try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: $0)).symbols }
      // A conformance of another module's type shows that type's own members, too.
      .filter { !$0.identifier.precise.contains("::SYNTHESIZED::") }
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
