public import Foundation

/// A program that has been built from a recipe.
public struct BuiltFixture: Sendable {
  public let recipe: Recipe
  public let program: URL
  public let arguments: [String]
  public let environment: [String: String]
  /// True if a sanitizer is in it, or in a library of it.
  let isInstrumented: Bool
  /// Has the files as long as it is there.
  public let builder: FixtureBuilder

  /// Runs it; a deadlock is killed: SIGTERM is blocked in the threads of tests, and so in their
  /// children.
  ///
  /// - Parameter command: Words to stand before the program, as of strace.
  public func run(under command: [String] = []) throws -> ProcessResult {
    let words = isInstrumented ? InstrumentingCompiler.starter : []
    return try TestSupport.run(
      "timeout", ["--signal=KILL", "120"] + command + words + [program.path] + arguments,
      environment: environment)
  }

  /// Where it was built, and where it may write.
  public var folder: URL { builder.directory.url }
}

extension Recipe {
  /// Builds its program in the builder's folder.
  public func build(with builder: FixtureBuilder) throws -> BuiltFixture {
    try build(with: builder, by: InstrumentingCompiler(builder.compiler))
  }

  /// Builds its program in a folder of its own.
  public func build(by compiler: InstrumentingCompiler) throws -> BuiltFixture {
    try build(with: FixtureBuilder(compiler.compiler), by: compiler)
  }

  private func build(
    with builder: FixtureBuilder, by compiler: InstrumentingCompiler
  ) throws -> BuiltFixture {
    try buildLibraries(with: builder)
    // A library may call the core in the program.
    let linked = libraries.filter(\.isLinked).map { "-l:\($0.name)" }
    let core =
      attributes.contains(.withoutCore)
      ? [] : [try CoreArchive.file(for: builder.compiler, flags: compiler.flags).path]
    let findsLibraries = !libraries.isEmpty && !flags.contains { $0.hasPrefix("-static") }
    let program = try builder.build(
      "program", from: sources,
      flags: compiler.flags + filled(flags, with: builder),
      libraries: linked + core + compiler.linkFlags + (findsLibraries ? [builder.runPath] : []),
      withCore: false)
    let words = isQuick && !quickArguments.isEmpty ? quickArguments : arguments
    let variables = try filled(environment, with: builder).map { text in
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (String(parts[0]), String(parts[1]))
    }
    return BuiltFixture(
      recipe: self, program: program, arguments: try filled(words, with: builder),
      environment: compiler.environment.merging(variables) { $1 },
      isInstrumented: (compiler.flags + flags + libraries.flatMap(\.flags)).contains {
        $0.hasPrefix("-fsanitize")
      }, builder: builder)
  }

  /// Builds its libraries in the builder's folder. They are not instrumented: they stand for other
  /// people's.
  public func buildLibraries(with builder: FixtureBuilder) throws {
    let folder = builder.directory.url
    for library in libraries {
      let file = folder.appending(path: library.name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      let name = file.lastPathComponent
      let findsOthers = library.flags.contains { $0.hasPrefix("-l") }
      try builder.build(
        library.name, from: [library.source],
        flags: ["-shared", "-fPIC"] + (name.hasPrefix("lib") ? ["-Wl,-soname,\(name)"] : []),
        libraries: filled(library.flags, with: builder)
          + (findsOthers ? [builder.runPath(of: library.name)] : []),
        withCore: false)
    }
  }

  /// The words with the places that stand in them. The compiler runs in the builder's folder: with a
  /// path to it, what it makes could not be kept.
  private func filled(_ words: [String], with builder: FixtureBuilder) throws -> [String] {
    try words.map {
      $0 == "@core"
        ? try CoreArchive.file(for: builder.compiler).path
        : $0.replacing("-L%", with: "-L.").replacing("%", with: builder.directory.url.path)
          .replacing("~", with: Places.fixtures.path)
    }
  }
}
