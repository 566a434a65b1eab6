import Foundation

/// Looks whether the pages are as their readers need them.
struct Checks {
  let archive: Archive
  /// The products of the package with its other modules that have pages, and which of them are C.
  let products: [String]
  let cProducts: [String]
  private(set) var faults: [String] = []

  init(archive: Archive, products: [String], cProducts: [String]) {
    (self.archive, self.products, self.cProducts) = (archive, products, cProducts)
  }

  mutating func run() throws {
    try landingHasText()
    try navigatorHasEveryProduct()
    for product in products {
      let pages = try archive.pages(below: product.lowercased())
      expect(!pages.isEmpty, "\(product) has no page")
      for file in pages { try check(archive.read(file), at: file, of: product) }
    }
  }

  private mutating func check(_ page: Object, at file: URL, of product: String) {
    expect(
      WayBack.isWhole(page, product: Landing.address(of: product)),
      "\(file.path) does not lead to the landing page and \(product)")
    let language = page[object: "identifier"][string: "interfaceLanguage"]
    expect(
      (language == CLanguage.identifier) == cProducts.contains(product),
      "\(file.path) is in the language \(language ?? "of nothing")")
  }

  private mutating func landingHasText() throws {
    let page = try archive.read(archive.landingPage)
    expect(!page[objects: "primaryContentSections"].isEmpty, "the landing page has no text")
    let start = try String(
      contentsOf: archive.folder.appending(path: "index.html"), encoding: .utf8)
    expect(start.contains("url=documentation/"), "/ does not lead to the landing page")
    let listed = page[objects: "topicSections"].flatMap { $0["identifiers"] as? [String] ?? [] }
      .compactMap { page[object: "references"][object: $0][string: "url"] }
    expect(
      listed.sorted() == products.map(Landing.address(of:)).sorted(),
      "the landing page lists \(listed), and the package has \(products)")
  }

  private mutating func navigatorHasEveryProduct() throws {
    let roots = try Navigator.roots(of: archive.read(archive.index))
    expect(roots.count == 1, "the sidebar has \(roots.count) trees")
    let shown = roots.flatMap { $0[objects: "children"] }.filter { $0["path"] != nil }
    expect(
      shown.compactMap { $0[string: "title"] }.sorted() == products.sorted(),
      "the sidebar has \(shown.compactMap { $0[string: "title"] })")
    for product in products {
      let node = shown.first { $0[string: "path"] == Landing.address(of: product) }
      expect(node != nil, "the sidebar does not lead to \(product)")
      // A product that is a page alone has no module.
      let hasParts = try archive.pages(below: product.lowercased()).count > 1
      expect(
        !hasParts || node?[objects: "children"].isEmpty == false,
        "the sidebar has nothing below \(product)")
    }
  }

  private mutating func expect(_ condition: Bool, _ fault: String) {
    if !condition { faults.append(fault) }
  }
}
