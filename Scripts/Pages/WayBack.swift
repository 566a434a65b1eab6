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

  /// Whether a page leads to the landing page, and then to its product.
  static func isWhole(_ page: Object, product: String) -> Bool {
    let paths = page[object: "hierarchy"]["paths"] as? [[String]] ?? []
    let references = page[object: "references"]
    let own = page[object: "identifier"][string: "url"]
    return !paths.isEmpty
      && paths.allSatisfy { path in
        let urls = path.map { references[object: $0][string: "url"] }
        return urls.starts(with: [Landing.address, Landing.address])
          && (urls.dropFirst(2).first == Landing.address + "/" + product
            || urls.count == 2 && own?.lowercased().hasSuffix("/" + product) == true)
      }
  }

  private static func reference(_ identifier: String, kind: String) -> Object {
    [
      "identifier": identifier, "kind": kind, "title": Landing.name, "type": "topic",
      "url": Landing.address, "abstract": [Object](), "role": "collection",
    ]
  }
}
