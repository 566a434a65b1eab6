public import Foundation

/// Where the tests find the sources and what the build made of them.
public enum Places {
  /// The root of the package.
  public static let package = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The package's version, which the file VERSION has.
  public static var version: String {
    get throws {
      try String(contentsOf: package.appending(path: "VERSION"), encoding: .utf8)
        .trimmingCharacters(in: .newlines)
    }
  }

  /// The C sources that the tests build at test time.
  public static let fixtures = package.appending(path: "Tests/Fixtures")

  /// A file or folder below `fixtures`. No two have the same name.
  public static func fixture(_ name: String) -> URL {
    let found = fixtureFolders.map { $0.appending(path: name) }
      .first { FileManager.default.fileExists(atPath: $0.path) }
    return found ?? fixtures.appending(path: name)
  }

  private static let fixtureFolders: [URL] = {
    let entries = try? FileManager.default.contentsOfDirectory(
      at: fixtures, includingPropertiesForKeys: [.isDirectoryKey])
    return [fixtures] + (entries ?? []).filter(\.hasDirectoryPath).sorted { $0.path < $1.path }
  }()

  /// The C core's sources, with its internal headers.
  public static let core = package.appending(path: "Sources/CRebind")

  /// The folder of the built products, such as `rebind-inspect` and the samples.
  public static let products: URL = {
    // SwiftPM's test runner is a product itself, so its folder is the one.
    let runner = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    return runner.deletingLastPathComponent()
  }()

  /// A small program in C, which the build made of a sample.
  public static let program = products.appending(path: "open-close-c").path

  /// Debian's, with the modules that Scripts/bootstrap installs; PATH may have another one.
  public static let python = "/usr/bin/python3"
}
