import Foundation

/// The way from each page to the landing page: docc merges archives without telling their
/// pages what they are below.
enum WayBack {
  /// The target of the title above each page. The pages recognise it by its kind.
  private static let title = "doc://Landing/title"
  /// The first of the pages above, in their list.
  private static let crumb = "doc://Landing/documentation"

  static func add(to archive: Archive) throws {
    try archive.change(archive.pages()) { page in
      let paths = page[object: "hierarchy"]["paths"] as? [[String]] ?? [[]]
      page[object: "hierarchy"]["paths"] = paths.map { [title, crumb] + $0 }
      page[object: "references"][title] = reference(title, kind: "technologies")
      page[object: "references"][crumb] = reference(crumb, kind: "article")
    }
  }

  /// Whether a page leads to the landing page, and then to its product, unless it is the product's
  /// own page.
  ///
  /// - Parameter product: The address of the product's page.
  static func isWhole(_ page: Object, product: String) -> Bool {
    let paths = page[object: "hierarchy"]["paths"] as? [[String]] ?? []
    let references = page[object: "references"]
    // `doc://Rebind/documentation/Rebind`.
    let own = page[object: "identifier"][string: "url"].flatMap { URL(string: $0) }
    let isOwn = own?.path.lowercased() == product
    let start = [Landing.address, Landing.address] + (isOwn ? [] : [product])
    return !paths.isEmpty
      && paths.allSatisfy { path in
        let addresses = path.map { references[object: $0][string: "url"] }
        return addresses.starts(with: start) && (!isOwn || addresses.count == start.count)
      }
  }

  private static func reference(_ identifier: String, kind: String) -> Object {
    [
      "identifier": identifier, "kind": kind, "title": Landing.name, "type": "topic",
      "url": Landing.address, "abstract": [Object](), "role": "collection",
    ]
  }
}
