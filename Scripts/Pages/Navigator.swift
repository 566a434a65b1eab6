import Foundation

/// The sidebar: docc gives each language a tree, so CRebind stands in another one than the
/// Swift products, and a page shows the tree of its own product alone.
enum Navigator {
  /// Makes one tree: the groups of the landing page, and each product with its pages.
  static func join(_ archive: Archive, as landing: Archive) throws {
    var index = try archive.read(archive.index)
    let products = modules(of: index)
    let groups = try roots(of: landing.read(landing.index)).flatMap { $0[objects: "children"] }
    let tree: Object = [
      "title": Landing.name, "path": Landing.address, "type": "module",
      "children": groups.map { group in
        guard let path = group[string: "path"], let product = products[path] else { return group }
        return product
      },
    ]
    // A page in a language without a tree of its own shows this one.
    index["interfaceLanguages"] = ["swift": [tree]]
    try JSON.write(index, to: archive.index)
  }

  /// The trees of all languages.
  static func roots(of index: Object) -> [Object] {
    index[object: "interfaceLanguages"].values.flatMap { $0 as? [Object] ?? [] }
  }

  /// The products in all trees, by their addresses.
  private static func modules(of index: Object) -> [String: Object] {
    var modules: [String: Object] = [:]
    for (language, roots) in index[object: "interfaceLanguages"] {
      for var module in (roots as? [Object] ?? []).flatMap({ $0[objects: "children"] }) {
        guard let path = module[string: "path"] else { continue }
        // docc's pages show the module whose page is open, and with it no other: so the
        // products are no modules, but collections.
        module["type"] = "collection"
        modules[path] =
          language == CLanguage.identifier ? CLanguage.renamed(below: module) : module
      }
    }
    return modules
  }
}
