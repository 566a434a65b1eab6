import Foundation

/// The temporary file that the traced processes write to, in a folder of its own. They make the
/// file if it is missing; one that outlives the launcher cannot, once the folder is gone.
struct ReportFile: ~Copyable {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "file-trace-\(UUID())")
  var url: URL { folder.appending(path: "report") }

  init() throws {
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    do {
      try Data().write(to: url)
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
  }

  /// Another process may be making the file again. Under the new name only those can that have
  /// found the folder before.
  deinit {
    let renamed = folder.path + ".gone"
    let gone = rename(folder.path, renamed) == 0 ? renamed : folder.path
    for _ in 0..<100 where access(gone, F_OK) == 0 {
      try? FileManager.default.removeItem(atPath: gone)
    }
  }
}
