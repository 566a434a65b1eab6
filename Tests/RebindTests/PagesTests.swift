import TestSupport

/// `Scripts/Pages`, which `make docs` compiles and runs.
@Suite(.measured, .notInCheck) struct PagesTests {
  /// A page leads to the landing page and to its product, unless it is the product's own.
  @Test func aWayBackIsWhole() throws {
    let folder = try TemporaryDirectory()
    let program = folder.url.appending(path: "pages").path
    try Data(Self.main.utf8).write(to: folder.url.appending(path: "main.swift"))
    let sources = ["JSON", "Archive", "Landing", "WayBack"].map {
      Places.package.appending(path: "Scripts/Pages/\($0).swift").path
    }
    try compile(
      Compiler("swiftc"), ["-swift-version", "6", "-o", "pages", "main.swift"] + sources,
      in: folder.url)
    let result = try run(program, [])
    #expect(result.succeeded && result.output == "")
  }

  /// Prints the pages that are not taken for what they are.
  private static let main = """
    let product = "/documentation/rebind"
    func page(_ url: String, _ addresses: [String]...) -> Object {
      var references: Object = [:]
      for address in addresses.joined() { references[address] = ["url": address] }
      return ["identifier": ["url": url], "hierarchy": ["paths": addresses], "references": references]
    }
    let top = "/documentation"
    let pages: [(page: Object, isWhole: Bool)] = [
      (page("doc://Rebind/documentation/Rebind", [top, top]), true),
      (page("doc://Rebind/documentation/Rebind/Image", [top, top, product]), true),
      (page("doc://Rebind/documentation/Rebind/a/Rebind", [top, top]), false),
      (page("doc://Rebind/documentation/Rebind/Image", [top, top]), false),
      (page("doc://Rebind/documentation/Rebind/Image", [top, top, product], [product]), false),
      (page("doc://Rebind/documentation/Rebind/Image"), false),
      (page("doc://Rebind/documentation/Rebind", [top, top, "/documentation/other"]), false),
    ]
    for page in pages where WayBack.isWhole(page.page, product: product) != page.isWhole {
      print(page)
    }

    """
}
