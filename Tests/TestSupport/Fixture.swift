public import Foundation

/// A C compiler to build fixtures with.
public struct Compiler: Sendable, Hashable, CustomStringConvertible {
  public var name: String
  public init(_ name: String) { self.name = name }

  public static let gcc = Compiler("gcc")
  public static let clang = Compiler("clang")
  /// The compilers that the core has to be right under.
  public static let all: [Compiler] = [.gcc, .clang]

  public var description: String { name }
}

/// A compiler did not accept a source.
public struct CompilationFailure: Error, CustomStringConvertible {
  public var command: String
  public var output: String
  public var description: String { "\(command)\n\(output)" }
}

/// Builds the C sources of `Tests/Fixtures` in a folder of its own.
public struct FixtureBuilder: Sendable {
  public let directory: TemporaryDirectory
  public let compiler: Compiler

  public init(_ compiler: Compiler) throws {
    self.compiler = compiler
    directory = try TemporaryDirectory()
  }

  /// The C files of the core.
  public static let coreSources: [URL] = {
    let folder = Places.package.appending(path: "Sources/CRebind")
    let files = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    return (files ?? []).filter { $0.pathExtension == "c" }.sorted { $0.path < $1.path }
  }()

  /// Compiles and links `sources` into `output`, with warnings as errors.
  ///
  /// - Parameters:
  ///   - sources: Names of files in `Tests/Fixtures`.
  ///   - flags: Further options, before the sources.
  ///   - libraries: Options that have to stand after the sources.
  ///   - withCore: Whether to link the core in.
  @discardableResult
  public func build(
    _ output: String, from sources: [String], flags: [String] = [], libraries: [String] = [],
    withCore: Bool = true
  ) throws -> URL {
    let product = directory.url.appending(path: output)
    let files =
      sources.map { Places.fixtures.appending(path: $0).path }
      + (withCore ? Self.coreSources.map(\.path) : [])
    try compile(
      ["-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"] + flags
        + ["-I", Places.package.appending(path: "Sources/CRebind/include").path]
        + files + ["-o", product.path, "-L", directory.url.path] + libraries)
    return product
  }

  /// Runs the compiler; throws with its output if it fails.
  public func compile(_ arguments: [String]) throws {
    let result = try run(compiler.name, arguments, currentDirectory: directory.url)
    guard result.succeeded else {
      throw CompilationFailure(
        command: ([compiler.name] + arguments).joined(separator: " "),
        output: result.errorOutput)
    }
  }
}
