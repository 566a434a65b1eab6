public import Foundation

/// A C compiler to build fixtures with.
public struct Compiler: Sendable, Hashable, CustomStringConvertible {
  public var name: String
  public init(_ name: String) { self.name = name }

  public static let gcc = Compiler("gcc")
  public static let clang = Compiler("clang")
  /// The compilers that the core has to be right under; gcc alone in the inner loop.
  public static let all: [Compiler] = isInnerLoop ? [.gcc] : [.gcc, .clang]

  public var description: String { name }
}

/// A compiler did not accept a source.
public struct CompilationFailure: Error, CustomStringConvertible {
  public var command: String
  public var output: String

  public init(command: String, output: String) {
    self.command = command
    self.output = output
  }

  public var description: String { "\(command)\n\(output)" }
}

/// Runs a compiler or a linker in a folder; throws with its output if it fails.
public func compile(_ compiler: Compiler, _ arguments: [String], in folder: URL) throws {
  let result = try run(compiler.name, arguments, currentDirectory: folder)
  guard result.succeeded else {
    throw CompilationFailure(
      command: ([compiler.name] + arguments).joined(separator: " "),
      output: result.errorOutput)
  }
}

/// Builds the C sources of `Tests/Fixtures` in a folder of its own.
public struct FixtureBuilder: Sendable {
  public let directory: TemporaryDirectory
  public let compiler: Compiler

  /// - Parameter directory: Where it builds; by default a folder of its own.
  public init(_ compiler: Compiler, in directory: TemporaryDirectory? = nil) throws {
    self.compiler = compiler
    self.directory = try directory ?? TemporaryDirectory()
  }

  /// The C files of the core, of which no two have one name.
  public static let coreSources: [URL] = {
    let files = FileManager.default.enumerator(at: Places.core, includingPropertiesForKeys: nil)
    return (files?.compactMap { $0 as? URL } ?? [])
      .filter { $0.pathExtension == "c" }.sorted { $0.path < $1.path }
  }()

  /// To compile the core, and whatever looks into it.
  public static let coreFlags = [
    "-I", Places.core.appending(path: "include").path, "-I", Places.core.path,
  ]

  public static let includeFlags =
    coreFlags + [
      "-iquote", Places.fixtures.path,
      "-I", Places.package.appending(path: "Sources/CRebindAnnotations/include").path,
    ]

  /// Compiles and links `sources` into `output`, with warnings as errors.
  ///
  /// - Parameters:
  ///   - output: A name in the builder's folder.
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
    let core = withCore ? [try Fixture.core(by: compiler)] : []
    let arguments =
      ["-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"] + flags + Self.includeFlags
      + sources.map { Places.fixture($0).path } + core + libraries
    try compile(arguments + ["-o", output, "-L."])
    return product
  }

  /// Compiles and links a shared library without the core.
  @discardableResult
  public func buildLibrary(
    _ name: String, from source: String, flags: [String] = [], libraries: [String] = []
  ) throws -> URL {
    try build(
      name, from: [source],
      flags: ["-shared", "-fPIC", "-Wl,-soname,\(name.split(separator: "/").last ?? "")"] + flags,
      libraries: libraries, withCore: false)
  }

  /// Runs the compiler; throws with its output if it fails.
  public func compile(_ arguments: [String]) throws {
    try TestSupport.compile(compiler, arguments, in: directory.url)
  }

  /// The option that makes a program find the builder's libraries.
  public var runPath: String { "-Wl,-rpath,$ORIGIN" }
}
