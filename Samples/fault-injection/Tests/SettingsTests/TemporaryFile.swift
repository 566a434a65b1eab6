import Foundation

/// A file in a folder of its own, deleted with the last reference to it.
final class TemporaryFile: Sendable {
  let path: String
  private let folder: URL

  init(contents: String) {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    path = folder.appending(path: "settings").path
    try! FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try! Data(contents.utf8).write(to: URL(filePath: path))
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}
