import TestSupport

/// Nothing public goes without a word.
@Suite(.serialized, .measured, .notInCheck) struct DocumentationTests {
  static let modules =
    [
      "ELFVocabulary", "Rebind", "RebindConfiguration", "RebindCounting", "RebindFiles",
      "RebindRegistry", "RebindTesting", "RebindAnnotations",
    ]
    // Without the trait its macros are unavailable, and no part of the graph.
    + (PackageTraits.hasMacros ? ["RebindMacros"] : [])

  @Test(arguments: modules)
  func everyPublicSymbolIsDocumented(module: String) throws {
    let symbols = try SymbolGraph(of: module).symbols
    try #require(!symbols.isEmpty)
    #expect(symbols.filter { $0.docComment == nil }.map(\.path) == [])
  }

  @Test(arguments: modules)
  func theLandingPageHasEveryTopLevelSymbol(module: String) throws {
    let page = try String(
      contentsOf: Places.package.appending(path: "Sources/\(module)/\(module).docc/\(module).md"),
      encoding: .utf8)
    let names = Set(
      try SymbolGraph(of: module).symbols.filter { $0.pathComponents.count == 1 }.map(\.path))
    #expect(names.filter { !page.contains("- ``\($0)``") } == [])
  }

  /// Each symbol is shown in an article, an example or a sample, or the command needs it. One that nobody shows
  /// is `package`, or goes.
  @Test(arguments: modules)
  func everyPublicSymbolHasAUse(module: String) throws {
    let unused = try SymbolUses.missing(in: SymbolGraph(of: module), of: module)
    #expect(unused == [])
  }

  /// Each error has a code to compare it by. All codes are of one form, and each is its constant's name.
  @Test(arguments: modules)
  func errorsHaveCodes(module: String) throws {
    let symbols = try SymbolGraph(of: module).symbols
    let declarations = Dictionary(
      symbols.map { ($0.path, $0.declaration) }, uniquingKeysWith: { first, _ in first })
    for error in declarations.keys where error.hasSuffix("Error") && !error.contains(".") {
      let code = declarations["\(error).code"] ?? "\(error) has none"
      #expect(code.contains(": \(error).Code"))
      #expect(declarations["\(error).Code.rawValue"] == "let rawValue: String", "\(error)")
      #expect(declarations["\(error).Code.description"] != nil, "\(error)")
    }
    let constants = symbols.filter {
      $0.pathComponents.contains("Code") && $0.declaration.hasPrefix("static let")
    }
    var written: [String] = []
    let sources = Places.package.appending(path: "Sources/\(module)")
    for source in try FileManager.default.subpathsOfDirectory(atPath: sources.path)
    where source.hasSuffix(".swift") {
      let text = try String(contentsOf: sources.appending(path: source), encoding: .utf8)
      for match in text.matches(of: /public static let (\w+) = Code\(rawValue: "(\w+)"\)/) {
        #expect(match.1 == match.2, "\(source)")
        written.append(String(match.1))
      }
    }
    #expect(written.sorted() == constants.map { $0.pathComponents.last! }.sorted())
  }

  /// The interface is the recorded one: whoever removes or changes a declaration sees it here, and has
  /// CHANGELOG say what to write in its place. `make golden` records it anew.
  @Test(arguments: modules)
  func theInterfaceIsTheRecordedOne(module: String) throws {
    let lines = try SymbolGraph(of: module).interface()
    let file = Places.package.appending(path: "Documentation/API/\(module).txt")
    if ProcessInfo.processInfo.environment["REBIND_GOLDEN"] == "write" {
      try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
    }
    let recorded = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(
      String.init)
    let difference = lines.difference(from: recorded)
    #expect(difference.removals.map(\.line) == [], "removed or changed")
    #expect(difference.insertions.map(\.line) == [], "added")
  }
}

extension CollectionDifference<String>.Change {
  fileprivate var line: String {
    switch self {
    case .insert(_, let line, _), .remove(_, let line, _): line
    }
  }
}
