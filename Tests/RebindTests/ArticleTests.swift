import TestSupport

/// The articles' code compiles.
@Suite(.measured, .notInCheck) struct ArticleTests {
  private static let products = [
    "ELFVocabulary", "Rebind", "RebindConfiguration", "RebindCounting", "RebindDynamic",
    "RebindFiles", "RebindRegistry", "RebindTesting", "Landing",
  ]

  /// The pieces of an article are one program.
  @Test(arguments: try products.flatMap(Articles.of))
  func swiftCompiles(article: URL) throws {
    let pieces = try article.codeBlocks(of: "swift").filter { !Articles.isManifest($0) }
    guard !pieces.isEmpty else { return }
    let result = try compileSwift(pieces.joined(separator: "\n"))
    #expect(result.errorOutput == "")
    #expect(result.succeeded)
  }

  /// The pieces of the article run as they stand, one after the other.
  @Test func sectionsAreRead() throws {
    let article = try #require(
      Articles.of("Rebind").first { $0.path.hasSuffix("/ReadSectionData.md") })
    let result = try runSwift(try article.codeBlocks(of: "swift").joined(separator: "\n"))
    #expect(result.errorOutput == "")
    #expect(result.output.hasPrefix("404 0\n503 3\n") && result.output.hasSuffix(" 16\n"))
    #expect(result.succeeded)
  }

  /// The tests that a page shows pass.
  @Test(arguments: [
    "FromPreloading.md", "KindsOfFaults.md", "TestingForBlockingCalls.md",
    "TestingForDescriptorLeaks.md",
    "TestingWithFaults.md",
  ])
  func testsPass(page: String) throws {
    let article = try #require(
      Articles.of("RebindTesting").first { $0.lastPathComponent == page })
    let pieces = try article.codeBlocks(of: "swift").filter { !Articles.isManifest($0) }
    let program = try RebindProgram(
      (pieces + ["await Testing.__swiftPMEntryPoint() as Never"]).joined(separator: "\n"),
      modules: [
        "RebindTesting", "FaultVocabulary", "RebindCounting", "CRebindTesting", "CRebindStubs",
        "CRebindCounting",
        "CRebindReach", "CRebind",
      ])
    let result = try program.run()
    #expect(result.succeeded, "\(result.output)\(result.errorOutput)")
    #expect((result.output + result.errorOutput).contains("Test run with"))
  }

  /// Whoever copies a page has the products that its code imports.
  @Test(arguments: try (products + ["RebindMacros"]).flatMap(Articles.of))
  func manifestNamesTheProducts(article: URL) throws {
    let blocks = try article.codeBlocks(of: "swift")
    // RebindDynamic has the modules of three products.
    guard let manifest = blocks.first(where: Articles.isManifest),
      manifest.contains(".product("), !manifest.contains("RebindDynamic")
    else { return }
    for module in blocks.joined(separator: "\n").matches(of: /(?m)^import (C?Rebind\w*)$/) {
      #expect(manifest.contains(".product(name: \"\(module.1)\""), "\(module.1)")
    }
  }

  @Test func manifestsAreRead() throws {
    let manifests = try (Self.products + ["RebindMacros"]).flatMap(Articles.of)
      .flatMap { try $0.codeBlocks(of: "swift") }.filter(Articles.isManifest)
    try #require(!manifests.isEmpty)
    for manifest in manifests {
      let package = try TemporaryDirectory()
      try Data("\(manifest)\n".utf8).write(to: package.url.appending(path: "Package.swift"))
      let result = try run(
        "swift", ["package", "--package-path", package.url.path, "dump-package"])
      #expect(result.succeeded, "\(result.errorOutput)")
    }
  }
}
