import Foundation

/// The temporary file that the traced processes write to.
struct ReportFile {
  let url = FileManager.default.temporaryDirectory.appending(path: "file-trace-\(UUID())")

  init() throws { try Data().write(to: url) }

  func takeContents() throws -> Data {
    defer { try? FileManager.default.removeItem(at: url) }
    return try Data(contentsOf: url)
  }
}
