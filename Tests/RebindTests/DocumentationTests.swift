import TestSupport

/// Nothing public goes without a word.
@Suite(.serialized, .measured, .notInCheck) struct DocumentationTests {
  static let modules =
    [
      "Rebind", "RebindConfiguration", "RebindCounting", "RebindFiles", "RebindRegistry",
      "RebindTesting", "RebindAnnotations",
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
}
