import TestSupport

/// The core builds alone, and needs next to nothing of the C library.
@Suite(.measured) struct CompilationTests {
  /// For a program and for a library: what the compiler makes calls of differs. The library that fixtures are linked
  /// with is compiled at -O2 by gcc, and at -O0 by clang.
  static let codes = [
    ["-O0"], ["-O2"], ["-Os"], ["-O0", "-fPIC"], ["-O2", "-fPIC"], ["-Os", "-fPIC"],
  ]

  /// Each file alone, and without a warning.
  @Test(
    .inCore,
    arguments: Compiler.all.flatMap { compiler in
      (isQuick ? [compiler == .gcc ? codes[0] : codes[1]] : codes).map { (compiler, $0) }
    })
  func compilesAlone(compiler: Compiler, flags: [String]) throws {
    let builder = try FixtureBuilder(compiler)
    try builder.compile(
      ["-std=gnu11", "-Wall", "-Wextra", "-Werror"] + flags
        + FixtureBuilder.coreFlags + ["-c"] + FixtureBuilder.coreSources.map(\.path))
    let objects = FixtureBuilder.coreSources.map { source in
      "\(builder.directory.url.path)/\(source.deletingPathExtension().lastPathComponent).o"
    }
    try expectImportsThatAreKeptAtStart(of: objects)
  }

  /// The same of the library that fixtures are linked with.
  @Test(arguments: Compiler.all)
  func theLibraryImportsNothingElse(compiler: Compiler) throws {
    try expectImportsThatAreKeptAtStart(of: [Fixture.core(by: compiler)])
  }

  /// A core that calls memcpy cannot rebind memcpy: whatever it imports is either kept at start, before anything is
  /// rebound, or `errno`.
  private func expectImportsThatAreKeptAtStart(of files: [String]) throws {
    let listing = try run("nm", ["--undefined-only", "--format=just-symbols"] + files)
    try #require(listing.succeeded)
    let imports = Set(
      listing.output.split(separator: "\n").map(String.init)
        .filter { !$0.hasSuffix(":") && !$0.hasPrefix("crebind_") })
    #expect(
      imports.subtracting(["_GLOBAL_OFFSET_TABLE_"])
        == ["__errno_location", "dl_iterate_phdr", "getauxval", "pthread_atfork"])
  }

  /// A function that is public and not in the map cannot be called in librebind.so.
  @Test func theMapExportsEachPublicFunction() throws {
    let core = try Fixture.core(by: .gcc)
    let listing = try run("readelf", ["--symbols", "--wide", core])
    try #require(listing.succeeded)
    let functions: [String] = listing.output.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ").map(String.init)
      return words.count == 8 && Array(words[3...5]) == ["FUNC", "GLOBAL", "DEFAULT"]
        && words[6] != "UND" ? words[7] : nil
    }
    let map = try String(
      contentsOf: Places.package.appending(path: "Packaging/librebind.map"), encoding: .utf8)
    let exported: [String] = map.split(separator: "\n").compactMap { line in
      let name = line.trimmingCharacters(in: .whitespaces)
      let isFunction = name.hasPrefix("crebind_") || name.hasPrefix("rebind_")
      return isFunction ? String(name.dropLast()) : nil
    }
    try #require(functions.count > 20)
    #expect(functions.sorted() == exported.sorted())
  }

  /// Sources that no other test builds.
  @Test(arguments: Compiler.all)
  func theBenchmarksCompileWithoutWarnings(compiler: Compiler) throws {
    let folder = Places.package.appending(path: "Benchmarks")
    let sources = try [".", "annotations", "inspect"].flatMap {
      try FileManager.default.contentsOfDirectory(
        at: folder.appending(path: $0), includingPropertiesForKeys: nil)
    }.filter { $0.pathExtension == "c" }
    try FixtureBuilder(compiler).compile(
      ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"] + FixtureBuilder.includeFlags
        + sources.map(\.path))
  }

  /// The part of an image whose annotations are Swift's.
  @Test(arguments: Compiler.all, ["-O0", "-O2", "-Os"])
  func theAnnotationsFileCompilesAloneWithoutWarnings(
    compiler: Compiler, optimisation: String
  ) throws {
    let folder = Places.package.appending(path: "Sources/CRebindAnnotations")
    try FixtureBuilder(compiler).compile(
      ["-std=gnu11", "-Wall", "-Wextra", "-Werror", optimisation]
        + ["-I", folder.appending(path: "include").path]
        + ["-c", folder.appending(path: "index.c").path])
  }
}
