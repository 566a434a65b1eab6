import TestSupport

/// The articles' code compiles, and declares what they say.
@Suite(.needsMacros, .measured) struct ArticleTests {
  @Test(
    .notInCheck,
    arguments: [
      ("RebindAnnotations", ["services mail '' 10", "services post '' 0"]),
      (
        "RebindMacros",
        [
          "services mail '' 10", "services clock '' 0", "modules Mail 'MailService' 0",
          "modules Home 'basic' 100", "services HomeService '' 0",
        ]
      ),
    ])
  func articlesDeclareAnnotations(product: String, expected: [String]) throws {
    let pieces = try Articles.of(product).flatMap { try $0.codeBlocks(of: "swift") }
      .filter { !Articles.isManifest($0) }
    let objects = try DeclaringObjects.compiled(.debug)
    let name = "article-\(product)"
    try Data("\(pieces.joined(separator: "\n"))\n".utf8)
      .write(to: objects.folder.appending(path: "\(name).swift"))
    try objects.swiftc(
      ["-parse-as-library", "-warnings-as-errors", "-c"]
        + ["-I", Places.products.appending(path: "Modules").path] + macroFlags
        + ["-Xcc", "-I", "-Xcc", Places.core.appending(path: "include").path]
        + ["\(name).swift"])
    try objects.cc(["-shared", "-o", "\(name).so", "\(name).o"])
    let records = try DecodedRecord.all(in: objects.folder.appending(path: "\(name).so"))
    #expect(records.map(\.description).sorted() == expected.sorted())
  }
}
