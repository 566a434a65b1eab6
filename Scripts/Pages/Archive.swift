import Foundation

/// A folder of pages that docc has written.
struct Archive {
  let folder: URL

  init(at path: String) {
    folder = URL(filePath: path, directoryHint: .isDirectory)
  }

  /// The navigator: what the sidebar shows.
  var index: URL { folder.appending(path: "index/index.json") }

  /// The page that all products are below.
  var landingPage: URL { folder.appending(path: "data/documentation.json") }

  func read(_ file: URL) throws -> Object { try JSON.read(Data(contentsOf: file)) }

  /// The files of all pages, but for the landing page.
  func pages(below path: String = "") throws -> [URL] {
    let root = folder.appending(path: "data/documentation")
    guard let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
    else { throw Fault(description: "no pages in \(root.path)") }
    let wanted = root.path + "/" + path
    return files.compactMap { $0 as? URL }
      .filter { $0.pathExtension == "json" }
      .filter { path.isEmpty || $0.path == wanted + ".json" || $0.path.hasPrefix(wanted + "/") }
      .sorted { $0.path < $1.path }
  }

  /// Changes pages in place.
  func change(_ pages: [URL], _ body: (inout Object) -> Void) throws {
    for file in pages {
      var page = try read(file)
      body(&page)
      try JSON.write(page, to: file)
    }
  }
}
