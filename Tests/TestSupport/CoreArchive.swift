public import Foundation
import Synchronization

/// The core compiled once for a compiler and its options, for tests that build many
/// programs from it.
public enum CoreArchive {
  private struct Key: Hashable {
    var compiler: Compiler
    var flags: [String]
  }

  private static let archives = Mutex<[Key: (builder: FixtureBuilder, file: URL)]>([:])

  /// The static library, position-independent, to stand after the sources.
  public static func file(for compiler: Compiler, flags: [String] = []) throws -> URL {
    try archives.withLock { archives in
      let key = Key(compiler: compiler, flags: flags)
      if let archive = archives[key] { return archive.file }
      let builder = try FixtureBuilder(compiler)
      try builder.compile(
        ["-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", "-fPIC", "-pthread"] + flags
          + ["-I", Places.package.appending(path: "Sources/CRebind/include").path, "-c"]
          + FixtureBuilder.coreSources.map(\.path))
      let objects = FixtureBuilder.coreSources.map {
        $0.deletingPathExtension().lastPathComponent + ".o"
      }
      let result = try run(
        "ar", ["rcs", "libcore.a"] + objects, currentDirectory: builder.directory.url)
      guard result.succeeded else {
        throw CompilationFailure(command: "ar", output: result.errorOutput)
      }
      let file = builder.directory.url.appending(path: "libcore.a")
      builder.directory.deleteAtExit()
      archives[key] = (builder, file)
      return file
    }
  }
}
