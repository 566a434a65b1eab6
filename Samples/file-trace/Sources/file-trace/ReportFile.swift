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

  /// A process that outlives the launcher may be about to make the file again: under the new name
  /// it is for those alone that have found the folder by now.
  deinit {
    let gone = folder.path + ".gone"
    rename(folder.path, gone)
    repeat { unlink(gone + "/report") } while rmdir(gone) != 0 && errno == ENOTEMPTY
  }
}
