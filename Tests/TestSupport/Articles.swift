public import Foundation

/// The pages of a product's documentation catalog.
public enum Articles {
  /// The articles and landing pages of a product, by name.
  public static func of(_ product: String) throws -> [URL] {
    let catalog = catalog(of: product)
    return try FileManager.default.contentsOfDirectory(at: catalog, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "md" }.sorted { $0.path < $1.path }
  }

  /// Among the product's sources, or in Documentation where it has none.
  private static func catalog(of product: String) -> URL {
    let places = ["Sources/\(product)", "Documentation"].map {
      Places.package.appending(path: "\($0)/\(product).docc")
    }
    return places.first { FileManager.default.fileExists(atPath: $0.path) } ?? places[0]
  }

  /// Whether a block of code is a whole Package.swift.
  public static func isManifest(_ block: String) -> Bool {
    block.hasPrefix("// swift-tools-version:")
  }
}

extension URL {
  /// The blocks of code that a page shows of a language, in its order.
  public func codeBlocks(of language: String) throws -> [String] {
    try String(contentsOf: self, encoding: .utf8)
      .components(separatedBy: "\n```\(language)\n").dropFirst()
      .compactMap { $0.components(separatedBy: "\n```").first }
  }

  /// The lines of the blocks that a page gives no language: messages, mostly. One that is too
  /// long goes on in lines that are indented by two spaces.
  public func messageLines() throws -> [String] {
    var fence: Substring?
    return try String(contentsOf: self, encoding: .utf8).replacing("\n  ", with: " ")
      .split(separator: "\n", omittingEmptySubsequences: false)
      .compactMap { line in
        guard line.hasPrefix("```") else { return fence == "```" ? String(line) : nil }
        fence = fence == nil ? line : nil
        return nil
      }
  }
}
