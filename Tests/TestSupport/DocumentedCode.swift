import Foundation

/// A piece of Swift that a doc comment of the sources shows.
public struct DocumentedCode: Sendable, CustomStringConvertible {
  /// The file, below `Sources`, and the line that the piece begins in.
  public var description: String
  /// The piece, without the marks of the comment.
  public var code: String

  /// The pieces of a product, in the order of files and lines.
  public static func of(_ product: String) throws -> [DocumentedCode] {
    let sources = Places.package.appending(path: "Sources")
    let files = FileManager.default.enumerator(
      at: sources.appending(path: product), includingPropertiesForKeys: nil)
    return try (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
      .sorted { $0.path < $1.path }
      .flatMap { file in
        let name = String(file.path.dropFirst(sources.path.count + 1))
        return pieces(of: try String(contentsOf: file, encoding: .utf8), named: name)
      }
  }

  private static func pieces(of text: String, named name: String) -> [DocumentedCode] {
    var pieces: [DocumentedCode] = []
    var piece: DocumentedCode?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let line = line.drop { $0 == " " }
      guard line.hasPrefix("///") else {
        piece = nil
        continue
      }
      let text = line.dropFirst(3)
      if piece == nil {
        guard text == " ```swift" else { continue }
        piece = DocumentedCode(description: "\(name):\(index + 2)", code: "")
      } else if text == " ```" {
        pieces.append(piece!)
        piece = nil
      } else {
        piece!.code += text.dropFirst() + "\n"
      }
    }
    return pieces
  }
}
