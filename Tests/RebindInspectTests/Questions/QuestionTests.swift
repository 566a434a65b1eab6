import TestSupport

/// Questions that people put in a form that was not expected.
@Suite(.needsCommands, .measured) struct QuestionTests {
  let fixture = DependencyFixture()

  private func program(_ name: String = "program") throws -> String {
    try fixture.program(
      name,
      """
      #include <stdlib.h>
      #include <unistd.h>
      void *use(void) { return getppid() ? malloc(1) : calloc(1, 1); }
      """)
  }

  @Test(arguments: [
    ("/^(m|c)alloc$/@GLIBC_2.*", ["calloc", "malloc"]),
    ("/^(m|c)alloc$/@@GLIBC_2.*", ["calloc", "malloc"]),
    ("/^(m|c)alloc$/", ["calloc", "malloc"]), ("/alloc/@/^GLIBC/", ["calloc", "malloc"]),
    ("/alloc/@NONE_*", []), ("getppid@/GLIBC/", ["getppid"]),
  ])
  func expressionsWithVersions(query: String, names: [String]) throws {
    struct Found: Decodable {
      struct Import: Decodable { var name: String }
      var imports: [Import]
    }
    let path = try program()
    let files = try? Document<Found>("who-imports", [query, path]).files
    let found = (files ?? []).flatMap(\.imports).map(\.name).sorted()
    #expect(found == names)
    #expect(try inspect(["who-imports", query, path]).status == (names.isEmpty ? 1 : 0))
  }

  @Test(arguments: ["/alloc/@", "/alloc@GLIBC", "/", "/@GLIBC"])
  func brokenExpressions(query: String) throws {
    #expect(try inspect(["who-imports", query, "/nowhere"]).status == 64)
  }

  @Test(arguments: ["malloc@", "malloc@@", "@GLIBC_2.2.5"])
  func symbolsWithoutNameOrVersion(query: String) throws {
    #expect(try inspect(["why", query, "--in", "/nowhere"]).status == 64)
  }

  /// A subcommand behind options is not taken for a file, but the value of an option may have its name.
  @Test func subcommandsStandFirst() throws {
    let path = try program()
    for arguments in [["--format", "json", "slots"], ["--kind", "jumpSlot", "slots"]] {
      let late = try inspect(arguments + [path])
      #expect(late.status == 64 && late.output.isEmpty)
      #expect(late.errorOutput.contains("Put the subcommand first: rebind-inspect slots"))
    }
    let named = try inspect(["--name", "slots", path])
    #expect(named.succeeded && named.output.isEmpty)
    let behind = try inspect(["--format", "json", "--", "slots"])
    #expect(behind.status == 2 && behind.errorOutput.contains("slots: No such file"))
    let directory = try TemporaryDirectory()
    try FileManager.default.copyItem(
      at: URL(filePath: path), to: directory.url.appending(path: "slots"))
    let there = try run(
      inspectPath, ["--imports", "slots"], currentDirectory: directory.url)
    #expect(there.succeeded && there.output.contains(" malloc@"))
  }

  @Test(arguments: [("nosuch", "\n"), ("slot", " Did you mean 'slots'?")])
  func helpOfNoSubcommand(name: String, hint: String) throws {
    let result = try inspect(["help", name])
    #expect(result.status == 64 && result.output.isEmpty)
    #expect(result.errorOutput.contains("'\(name)' is no subcommand.\(hint)"))
    #expect(try inspect(["help"]).succeeded && inspect(["help", "slots"]).succeeded)
  }

  /// A mistake that is found late shows the usage of its subcommand.
  @Test(arguments: [
    ["section", ".text", "--as", "raw"], ["tree", "--as", "mermaid"],
  ])
  func usageOfTheSubcommand(command: [String]) throws {
    let path = try program()
    let result = try inspect(command + [path, path])
    #expect(result.status == 64 && result.output.isEmpty)
    #expect(result.errorOutput.contains("takes one file."))
    #expect(result.errorOutput.contains("Usage: rebind-inspect \(command[0]) ["))
  }

  @Test(arguments: [["symbols", "--name"], ["symbols", "--symbol-version"], ["who-imports"]])
  func emptyNames(command: [String]) throws {
    let result = try inspect(command + ["", try program()])
    #expect(result.status == 64 && result.errorOutput.contains("The value '' is invalid"))
  }

  @Test(arguments: [
    ("symbosl", "symbols"), ("slot", "slots"), ("tre", "tree"), ("whoimports", "who-imports"),
    ("hardning", "hardening"),
  ])
  func mistypedSubcommand(name: String, meant: String) throws {
    let result = try inspect([name, Places.products.appending(path: "rebind-inspect").path])
    #expect(result.status == 64 && result.output.isEmpty)
    #expect(result.errorOutput.contains("'\(name)' is neither a file nor a subcommand"))
    #expect(result.errorOutput.contains("Did you mean '\(meant)'?"))
    // A file of that name is read.
    let directory = try TemporaryDirectory()
    try FileManager.default.copyItem(
      at: URL(filePath: try program()), to: directory.url.appending(path: name))
    let there = try run(inspectPath, [name], currentDirectory: directory.url)
    #expect(there.succeeded && there.output.contains(" malloc@"))
    let absent = try inspect(["nowhere-near"])
    #expect(absent.status == 2 && absent.errorOutput.contains("No such file or directory"))
  }

  @Test func whyTakesFilesAsItsSiblingsDo() throws {
    let (first, second) = (try program(), try program("second"))
    let usual = try inspect(["why", "malloc", "--in", first, second])
    #expect(usual.succeeded)
    for arguments in [[first, second], [first, "--in", second]] {
      let result = try inspect(["why", "malloc"] + arguments)
      #expect(result.succeeded && result.output == usual.output)
    }
    let result = try inspect(["why", "malloc"])
    #expect(result.status == 64 && result.errorOutput.contains("'<file> ...'"))
  }

  @Test func slotsOfAnotherName() throws {
    let path = try fixture.program(
      "other", "#include <fcntl.h>\nint use(void) { return open64(\"/\", 0); }",
      flags: ["-D_LARGEFILE64_SOURCE"])
    let slots = try #require(try Report("slots", ["--name", "open64", path]).files.first?.slots)
    #expect(slots.count == 1)
    #expect(
      try inspect(["why", "open", path]).output.contains("\nother-name open64 1 "))
  }

  @Test func aCleanProcess() throws {
    let built = try FixtureBuilder.shared(.gcc, key: ["clean"]) {
      try $0.build("clean", from: ["inspect-needing.c", "inspect-dependency.c"], withCore: false)
    }
    let process = try WaitingProcess(built.directory.url.appending(path: "clean"))
    let count = try report("images", process).files.count
    let terminal = try inspectOnTerminal(["audit", "--pid", "\(process.id)"])
    // The kernel's image too.
    #expect(terminal.output == "\(count + 1) images, nothing found\r\n")
    #expect(try inspect(["audit", "--pid", "\(process.id)"]).output.isEmpty)
  }

  @Test func pathsWithBlanks() throws {
    let path = try program("a program")
    let escaped = path.replacing(" ", with: "\\x20")
    #expect(try inspect(["tree", path]).output.contains(" \(escaped) "))
    let lines = try inspect(["who-imports", "malloc", path]).output.split(separator: "\n")
    #expect(!lines.isEmpty && lines.allSatisfy { $0.hasSuffix(" \(escaped)") })
    let defined = try inspect(["who-imports", "--defines", "use", path]).output
    #expect(defined.isEmpty || defined.hasSuffix(" \(escaped)\n"))
    let built = try FixtureBuilder.shared(.gcc, key: ["blank image"]) {
      try $0.build(
        "an image", from: ["inspect-needing.c", "inspect-dependency.c"], withCore: false)
    }
    let process = try WaitingProcess(built.directory.url.appending(path: "an image"))
    #expect(
      try inspect(["images", "--pid", "\(process.id)"]).output.contains("/an\\x20image\n"))
  }

  /// A missing preload takes nothing from the libraries in which a symbol is looked for.
  @Test func whyBesideAMissingPreload() throws {
    let path = try fixture.library(
      "libasking.so", "int defined_nowhere(void); int use(void) { return defined_nowhere(); }")
    let usual = try inspect(["why", "defined_nowhere", path])
    #expect(usual.output.contains("\nnot-defined "))
    let beside = try run(
      inspectPath, ["why", "defined_nowhere", path], environment: ["LD_PRELOAD": "libnowhere.so"])
    #expect(beside.output == usual.output)
  }

  @Test func helpSaysWhatSlotsDoNotTell() throws {
    for arguments in [["--help"], ["who-imports", "--help"]] {
      #expect(try inspect(arguments).output.contains("Documentation/JSON.md"))
    }
    #expect(try inspect(["who-imports", "--help"]).output.contains("not how often"))
  }
}
