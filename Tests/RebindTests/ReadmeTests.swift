import TestSupport

/// The README's code compiles and runs. `ExampleTests` run its commands.
@Suite(.measured) struct ReadmeTests {
  private static let readme = Places.package.appending(path: "README.md")

  /// Its blocks of Swift, each of one kind.
  private enum Block {
    /// Lines for a package.
    case manifest
    /// A program with comments that say what it prints.
    case program
    case snippet

    init(_ text: String) {
      self =
        text.hasPrefix("  dependencies: ")
        ? .manifest : text.contains(Block.printed) ? .program : .snippet
    }

    static var printed: Regex<(Substring, Substring)> { /print\(.*\)  \/\/ ([-0-9 ]+)\n/ }
  }

  private static func blocks(_ kind: Block) throws -> [String] {
    try readme.codeBlocks(of: "swift").filter { Block($0) == kind }
  }

  @Test func swiftSnippetsCompile() throws {
    let snippets = try Self.blocks(.snippet)
    try #require(!snippets.isEmpty)
    for snippet in snippets {
      let result = try compileSwift(snippet)
      #expect(result.errorOutput == "")
      #expect(result.succeeded)
    }
  }

  /// A program prints what its comments say: `// 100 0` behind a line that prints.
  @Test func swiftProgramsRun() throws {
    let programs = try Self.blocks(.program)
    try #require(!programs.isEmpty)
    for program in programs {
      let built = try RebindProgram(
        program, modules: ["RebindCounting", "CRebindCounting", "CRebindReach", "CRebind"])
      let result = try built.run()
      #expect(result.succeeded, "\(result.errorOutput)")
      let expected = program.matches(of: Block.printed).map { String($0.1) }
      #expect(!expected.isEmpty)
      #expect(result.output.hasPrefix(expected.map { "\($0)\n" }.joined()), "\(result.output)")
    }
  }

  /// The lines for a package are part of a manifest.
  @Test func manifestLinesAreRead() throws {
    let lines = try Self.blocks(.manifest)
    try #require(!lines.isEmpty)
    for lines in lines {
      let package = try TemporaryDirectory()
      let manifest = """
        // swift-tools-version: 6.3
        import PackageDescription
        let package = Package(name: "tool",
        \(lines)
        )

        """
      try Data(manifest.utf8).write(to: package.url.appending(path: "Package.swift"))
      let result = try run(
        "swift", ["package", "--package-path", package.url.path, "dump-package"])
      #expect(result.succeeded, "\(result.errorOutput)")
    }
  }

  @Test func cProgramsRun() throws {
    let programs = try Self.readme.codeBlocks(of: "c")
    try #require(!programs.isEmpty)
    for program in programs {
      let builder = try FixtureBuilder(.gcc)
      let source = builder.directory.url.appending(path: "main.c")
      try Data("\(program)\n".utf8).write(to: source)
      // The same as for a fixture, whose path may be an absolute one.
      try builder.compile(
        ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fno-builtin"] + FixtureBuilder.includeFlags
          + [source.path, Fixture.core(by: .gcc), "-o", "main"])
      let result = try run(builder.directory.url.appending(path: "main").path)
      #expect(result.succeeded && result.output == "my words\n", "\(result)")
    }
  }

  /// No block is left out of these tests.
  @Test func everyBlockIsTested() throws {
    let readme = try String(contentsOf: Self.readme, encoding: .utf8)
    let languages = readme.matches(of: /\n```(\w+)\n/).map { String($0.1) }
    #expect(Set(languages) == ["c", "console", "swift"])
  }

  /// Its console blocks have the two commands, which `ExampleTests` and `ProgramTests` run. Targets of make exist.
  @Test func makeHasTheTargets() throws {
    let lines = try Self.readme.codeBlocks(of: "console").joined(separator: "\n").split(
      separator: "\n")
    #expect(
      lines.allSatisfy { $0.hasPrefix("$ rebind-inspect ") || $0.hasPrefix("$ rebind-run ") })
    let readme = try String(contentsOf: Self.readme, encoding: .utf8)
    let targets = Set(readme.matches(of: /`make ([a-z-]+)/).map { String($0.1) })
    #expect(targets.isSuperset(of: ["amalgamation", "demo", "install", "release", "test"]))
    for target in targets {
      let result = try run(
        "make", ["--dry-run", target], environment: ["MAKEFLAGS": ""],
        currentDirectory: Places.package)
      #expect(result.succeeded, "\(result.errorOutput)")
    }
  }

  @Test func linksLeadToFiles() throws {
    let readme = try String(contentsOf: Self.readme, encoding: .utf8)
    let places = readme.matches(of: /\]\(([^)]+)\)|(?:src|srcset)="([^"]+)"/)
      .compactMap { $0.1 ?? $0.2 }.filter { !$0.hasPrefix("http") }
    try #require(!places.isEmpty)
    for place in places {
      let parts = place.split(separator: "#").map(String.init)
      let file = Places.package.appending(path: parts[0])
      #expect(FileManager.default.fileExists(atPath: file.path), "\(place)")
      guard parts.count == 2 else { continue }
      let headings = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        .filter { $0.hasPrefix("## ") }
        .map { $0.dropFirst(3).lowercased().replacing(" ", with: "-") }
      #expect(headings.contains(parts[1]), "\(place)")
    }
  }

  /// The articles of docc that it leads to have nothing that docc alone can read.
  @Test func linksLeadToPagesThatReadWell() throws {
    let readme = try String(contentsOf: Self.readme, encoding: .utf8)
    let places = readme.matches(of: /\]\(([^)]+\.docc\/[^)]+\.md)\)/).map { String($0.1) }
    try #require(!places.isEmpty)
    for place in places {
      let file = Places.package.appending(path: place)
      let page = try String(contentsOf: file, encoding: .utf8)
      let directives = #/<doc:|(?m)^@(Metadata|Options|Links|Row|TabNavigator)\b|(?m)^- term /#
      #expect(page.matches(of: directives).isEmpty, "\(place)")
      for image in page.matches(of: /!\[[^\]]*\]\(([^)]+)\)/).map({ String($0.1) }) {
        let image = file.deletingLastPathComponent().appending(path: image)
        #expect(FileManager.default.fileExists(atPath: image.path), "\(place)")
      }
    }
  }
}
