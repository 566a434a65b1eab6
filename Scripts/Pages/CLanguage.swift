import Foundation

/// C's own words: docc knows C as Objective-C, and names its parts as it does Swift's.
enum CLanguage {
  /// docc's name for C.
  static let identifier = "occ"
  /// Where docc's pages have the name that they show for it.
  private static let name = (of: #"objectiveC:{name:"Objective-C""#, is: #"objectiveC:{name:"C""#)

  private static let words = [
    "Instance Property": "Member", "Instance Properties": "Members",
    "Enumeration Case": "Enumerator", "Enumeration Cases": "Enumerators",
    "Type Alias": "Type Definition", "Type Aliases": "Type Definitions",
  ]

  static func name(in archive: Archive, below products: [String]) throws {
    for product in products {
      try archive.change(archive.pages(below: product)) { page in
        if let heading = page[object: "metadata"][string: "roleHeading"] {
          page[object: "metadata"]["roleHeading"] = words[heading] ?? heading
        }
        // A page without sections stays without: an empty list has a title of its own.
        guard page["topicSections"] != nil else { return }
        page[objects: "topicSections"] = page[objects: "topicSections"].map(translated)
      }
    }
    try renameLanguage(in: archive.folder.appending(path: "js"))
  }

  /// A part of the sidebar, and all below it, with the groups in C's words.
  static func renamed(below node: Object) -> Object {
    var node = node[string: "type"] == "groupMarker" ? translated(node) : node
    if node["children"] != nil {
      node[objects: "children"] = node[objects: "children"].map(renamed(below:))
    }
    return node
  }

  private static func translated(_ titled: Object) -> Object {
    var titled = titled
    if let title = titled[string: "title"] { titled["title"] = words[title] ?? title }
    return titled
  }

  /// The package has no Objective-C, so the language that the pages show under that name is C.
  private static func renameLanguage(in scripts: URL) throws {
    let files = try FileManager.default.contentsOfDirectory(
      at: scripts, includingPropertiesForKeys: nil)
    for file in files.filter({ $0.pathExtension == "js" }) {
      let text = try String(contentsOf: file, encoding: .utf8)
      guard text.contains(name.of) else { continue }
      try Data(text.replacing(name.of, with: name.is).utf8).write(to: file)
      return
    }
    throw Fault(description: "docc's scripts have no \(name.of): Scripts/Pages/CLanguage.swift")
  }
}
