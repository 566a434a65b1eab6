public import Foundation

/// The core compiled once for a compiler and its options, for tests that build many
/// programs from it.
public enum CoreArchive {
  private struct Key: Hashable {
    var compiler: Compiler
    var flags: [String]
  }

  private static let archives = OncePerKey<Key, URL>()

  /// The static library, position-independent, to stand after the sources.
  public static func file(for compiler: Compiler, flags: [String] = []) throws -> URL {
    try archives.value(for: Key(compiler: compiler, flags: flags)) {
      let arguments =
        ["-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", "-fPIC", "-pthread"] + flags
        + FixtureBuilder.coreFlags + ["-c"] + FixtureBuilder.coreSources.map(\.path)
      return try KeptProducts.ofThisRun.file(of: ["ar", compiler.name] + arguments) { product in
        let folder = try TemporaryDirectory()
        try compile(compiler, arguments, in: folder.url)
        let objects = FixtureBuilder.coreSources.map {
          $0.deletingPathExtension().lastPathComponent + ".o"
        }
        let result = try run("ar", ["rcs", product.path] + objects, currentDirectory: folder.url)
        guard result.succeeded else {
          throw CompilationFailure(command: "ar", output: result.errorOutput)
        }
      }
    }
  }
}
