import TestSupport

/// The findings of `who-imports` in files, folders and processes.
@Suite(.needsCommands, .measured) struct WhoImportsTests {
  /// Two libraries that import getpid, one that does not, and what is none.
  private func folder() throws -> DependencyFixture {
    let fixture = DependencyFixture()
    let call = "int getpid(void); int call(void) { return getpid(); }"
    try fixture.library("all/liba.so", call)
    try fixture.library(
      "all/below/libb.so", call + "int (*pointer)(void) = getpid;", flags: ["-Wl,-z,lazy"])
    try fixture.library("all/libnone.so", "int own(void) { return 1; }")
    try fixture.write("all/text", Data("no ELF file".utf8))
    try fixture.write("all/empty", Data())
    try fixture.link("all/linked.so", to: "liba.so")
    try fixture.link("all/below/circle", to: "..")
    try FileManager.default.linkItem(
      atPath: fixture.path("all/liba.so"), toPath: fixture.path("all/second-name.so"))
    return fixture
  }

  private func rows(_ result: ProcessResult) -> [[String]] {
    result.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
  }

  @Test func aFolder() throws {
    let fixture = try folder()
    let result = try inspect(["who-imports", "getpid", fixture.path("all")])
    #expect(result.succeeded && result.errorOutput.isEmpty)
    let rows = rows(result)
    // Folders come where their names do.
    let (a, b) = (fixture.path("all/liba.so"), fixture.path("all/below/libb.so"))
    #expect(rows.map { $0.last ?? "" } == [b, b, a])
    #expect(Set(rows.map { $0[2] }) == ["jumpSlot", "absolute"])
    // A slot's line is that of `slots`.
    for path in [a, b] {
      let slots = try inspect(["slots", "--name", "getpid", path]).output
      let lines = result.output.split(separator: "\n").filter { $0.hasSuffix(path) }
      #expect(lines.map { $0.dropLast(path.count + 1) + "\n" }.joined() == slots)
    }
  }

  /// A file that is named and lies in a folder that is named comes once, where it came first.
  @Test func aFileComesOnce() throws {
    let fixture = try folder()
    let (a, all) = (fixture.path("all/liba.so"), fixture.path("all"))
    let result = try inspect(["who-imports", "getpid", fixture.path("all/linked.so"), a, all, all])
    #expect(
      rows(result).map { $0.last ?? "" }
        == [fixture.path("all/linked.so")]
        + Array(
          repeating: fixture.path("all/below/libb.so"), count: 2))
  }

  @Test func whatIsNamedHasToBeELF() throws {
    let fixture = try folder()
    let text = fixture.path("all/text")
    let result = try inspect(["who-imports", "getpid", text, fixture.path("all"), "/nowhere"])
    #expect(result.status == 2 && rows(result).count == 3)
    #expect(
      result.errorOutput
        == "rebind-inspect: \(text): not an ELF file\n"
        + "rebind-inspect: /nowhere: No such file or directory\n")
  }

  /// A broken ELF file may import it.
  @Test func whatCannotBeReadIsALine() throws {
    let fixture = try folder()
    let whole = try Data(contentsOf: URL(fileURLWithPath: fixture.path("all/liba.so")))
    let broken = try fixture.write("all/broken.so", whole.prefix(200))
    let result = try inspect(["who-imports", "getpid", fixture.path("all")])
    #expect(result.status == 2 && rows(result).count == 3)
    #expect(result.errorOutput.hasPrefix("rebind-inspect: \(broken): "))
    #expect(result.errorOutput.split(separator: "\n").count == 1)
  }

  @Test func nothingIsFound() throws {
    let fixture = try folder()
    let result = try inspect(["who-imports", "--format", "json", "getppid", fixture.path("all")])
    #expect(result.status == 1 && result.errorOutput.isEmpty)
    let report = try JSONDecoder().decode(Report.self, from: result.standardOutput)
    #expect(report.files.isEmpty)
  }

  /// A member of an archive is a file as any other.
  @Test func archives() throws {
    let fixture = try folder()
    try fixture.compile("ar", ["rc", "all/lib.a", "all/liba.so", "all/text"])
    let result = try inspect(["who-imports", "getpid", fixture.path("all")])
    #expect(result.succeeded && result.errorOutput.isEmpty)
    #expect(rows(result).contains { $0.last == fixture.path("all/lib.a(liba.so)") })
  }

  /// An import that nothing but the symbol asks for.
  @Test func importsWithoutSlots() throws {
    let fixture = DependencyFixture()
    try fixture.library("libtls.so", "__thread int shared;")
    let path = try fixture.library(
      "libuser.so", "extern __thread int shared; int get(void) { return shared; }")
    let result = try inspect(["who-imports", "shared", path])
    #expect(result.succeeded && result.output == "- - - - - - - - - shared \(path)\n")
    let file = try #require(try Imports("shared", path).files.first)
    #expect(file.imports.map(\.name) == ["shared"] && file.imports[0].slots.isEmpty)
  }

  /// The same in a process: the columns of what a slot holds have `-` too.
  @Test func importsWithoutSlotsInAProcess() throws {
    let fixture = DependencyFixture()
    try fixture.library("libtls.so", "__thread int shared;")
    try fixture.library(
      "libuser.so", "extern __thread int shared; int get(void) { return shared; }")
    let program = try fixture.program(
      "program",
      """
      #include <stdio.h>
      __attribute__((constructor)) static void wait(void) { puts("ready"); fflush(stdout); getchar(); }
      """, needs: ["libuser.so", "libtls.so"], flags: ["-Wl,-rpath,\(fixture.path("."))"])
    let process = try WaitingProcess(URL(fileURLWithPath: program))
    try #require(process.said == "ready\n")
    let result = try inspect(["who-imports", "shared", "--pid", "\(process.id)"])
    let lines = rows(result)
    #expect(lines.count == 1 && lines.first?.count == 15)
    #expect(lines.first?.dropLast().joined(separator: " ") == "- - - - - - - - - shared - - - -")
    #expect(lines.first?.last?.hasSuffix("/libuser.so") == true)
  }

  @Test func versionsAndPatterns() throws {
    let fixture = try BuiltFixture()
    let imports = try Report(["--imports", fixture.path]).files[0].symbols ?? []
    let versioned = try #require(imports.first { $0.version != nil })
    let version = try #require(versioned.version)
    func found(_ query: String) throws -> [String] {
      try Imports(query, fixture.path).files.flatMap { $0.imports.map(\.name) }
    }
    #expect(try found("\(versioned.name)@\(version)") == [versioned.name])
    #expect(try found("\(versioned.name)@@\(version)") == [versioned.name])
    #expect(try found("\(versioned.name)@NONE") == [])
    #expect(try found("*") == imports.map(\.name))
    #expect(try found("*@*") == imports.filter { $0.version != nil }.map(\.name))
    #expect(try found("/./") == imports.map(\.name))
  }

  /// nm and readelf are the witnesses.
  @Test(.notInCheck) func installedFiles() throws {
    let all =
      try InstalledFile.allCases.map { try $0.path }
      + InstalledFile.toolchainLibraries().filter { !$0.hasSuffix("libswiftCore.so") }
      + [InstalledFile.libstdcxx(), inspectPath, Places.program]
    // `path: U malloc@GLIBC_2.2.5`, and `w` for a weak one.
    let lines = try run("nm", ["-D", "-A", "--undefined-only"] + all).output.split(separator: "\n")
    let expected = Set(
      lines.compactMap { line -> String? in
        let words = line.split(separator: " ")
        guard let name = words.last, name.hasPrefix("malloc@") || name == "malloc" else {
          return nil
        }
        return "\(words[0].dropLast()) \(name)"
      })
    let result = try inspect(["who-imports", "malloc"] + all)
    let found = rows(result).map { "\($0.last ?? "") \($0[$0.count - 2])" }
    #expect(expected.count > 10 && Set(found) == expected)
    // Each slot is a relocation.
    let relocations = try run("readelf", ["-rW"] + all).output.split(separator: "\n")
      .filter { $0.contains(" malloc@") && !$0.contains("R_X86_64_COPY") }
    let importers = Set(rows(result).compactMap(\.last))
    let others = all.filter { !importers.contains($0) }
    let foreign = try run("readelf", ["-rW"] + others).output.split(separator: "\n")
      .filter { $0.contains(" malloc@") }
    #expect(rows(result).filter { $0[0] != "-" }.count == relocations.count - foreign.count)

    let definitions = try run("nm", ["-D", "-A", "--defined-only"] + all).output
      .split(separator: "\n").compactMap { line -> String? in
        let words = line.split(separator: " ")
        guard let name = words.last, name.hasPrefix("malloc@") || name == "malloc",
          let path = words[0].split(separator: ":").first
        else { return nil }
        return "\(path) \(name)"
      }
    let defines = try inspect(["who-imports", "--defines", "malloc"] + all)
    #expect(
      Set(rows(defines).map { "\($0.last ?? "") \($0[$0.count - 2])" }) == Set(definitions))
  }

  @Test func aProcess() throws {
    let program = try LookedAtProgram()
    let process = try program.started("rebound")
    let rebound = try report("slots", process, ["--state", "rebound"]).files
    let symbol = try #require(rebound.first?.slots?.first?.symbol)
    let result = try inspect(["who-imports", symbol, "--pid", "\(process.id)"])
    #expect(result.succeeded)
    let found = rows(result).filter { $0.contains("rebound") }
    // The image that defines the symbol has slots for it too, and imports nothing.
    let importers = try rebound.filter {
      try Report(["--imports", "--name", symbol, $0.path]).files[0].symbols?.isEmpty == false
    }
    let slots = importers.flatMap { $0.slots ?? [] }.filter { $0.symbol == symbol }
    #expect(!slots.isEmpty && found.count == slots.count)
    #expect(found.allSatisfy { $0.last?.hasPrefix("/") == true })
    let defines = try inspect(["who-imports", "--defines", symbol, "--pid", "\(process.id)"])
    #expect(defines.succeeded && !rows(defines).isEmpty)
    let none = try inspect(["who-imports", "no_such_symbol", "--pid", "\(process.id)"])
    #expect(none.status == 1 && none.output.isEmpty)
  }

  @Test(.enabled(if: !SchemaValidator.isTooOld, "needs jsonschema 4.0 or later"))
  func theSchema() throws {
    let fixture = try folder()
    let process = try LookedAtProgram().started("rebound")
    var validator = try SchemaValidator()
    for arguments in [
      ["getpid", fixture.path("all"), "/nowhere"], ["--defines", "call", fixture.path("all")],
      ["none", fixture.path("all")], ["*", "--pid", "\(process.id)"],
      ["--defines", "getpid", "--pid", "\(process.id)"],
    ] {
      _ = try validator.add(["who-imports"] + arguments)
    }
    try #require(validator.failures() == "")
  }

  /// A pattern that all match takes processor time as they are many, not with their square.
  @Test func manyImports() throws {
    let count = 80_000
    let scratch = try TemporaryDirectory()
    let source = scratch.url.appending(path: "many.s")
    let words = (0..<count).map { ".quad many_\($0)\n" }.joined()
    try Data((".data\n" + words).utf8).write(to: source)
    let library = scratch.url.appending(path: "libmany.so").path
    try compile(.clang, ["-shared", "-nostdlib", "-o", "libmany.so", "many.s"], in: scratch.url)
    let result = try bash(
      #"ulimit -t 30; "$0" who-imports 'many_*' --format json "$1" | grep -o '"index":' | wc -l"#,
      [library])
    #expect(result.output == "\(count)\n")
  }

  @Test func wrongUsage() throws {
    for arguments in [
      [], ["malloc"], ["malloc", "--pid", "1", "/usr/lib"], ["malloc", "--pid", "0"],
      ["", Places.program], ["@GLIBC_2.2.5", Places.program], ["/(/", Places.program],
      ["malloc@", Places.program], ["/mal/@", Places.program],
    ] {
      #expect(try inspect(["who-imports"] + arguments).status == 64)
    }
  }

  /// The summary and the bar are for people: on a terminal alone.
  @Test(arguments: [false, true])
  func terminal(isQuiet: Bool) throws {
    let fixture = try folder()
    let result = try run(
      Places.python,
      [
        "-c", "import pty, sys; pty.spawn(sys.argv[1:])", inspectPath, "who-imports", "--color",
        "never", "getpid", fixture.path("all"),
      ] + (isQuiet ? ["--no-progress"] : []))
    let lines = result.output.split(separator: "\r\n")
    #expect(lines.first?.hasSuffix(" NEEDS    ADDEND ADDED SYMBOL PATH") == true)
    #expect(
      lines.last?.hasSuffix("2 of 3 files import getpid; 2 others are no ELF files") == !isQuiet)
    #expect(lines.count == (isQuiet ? 4 : 5))
  }
}

/// The output of `who-imports --format json`.
private struct Imports: Decodable {
  var files: [File]

  struct File: Decodable {
    var path: String
    var imports: [Import]
  }

  struct Import: Decodable {
    var index: Int
    var name: String
    var version: String?
    var slots: [Slot]
  }

  init(_ query: String, _ path: String) throws {
    let result = try inspect(["who-imports", "--format", "json", query, path])
    self = try JSONDecoder().decode(Imports.self, from: result.standardOutput)
  }
}
