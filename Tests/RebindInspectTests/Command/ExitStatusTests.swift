import TestSupport

/// The table of exit statuses in Documentation/Stability.md: each of its lines is run.
@Suite(.needsCommands, .measured) struct ExitStatusTests {
  private struct Row {
    var command: String
    var status: Int32
  }

  private static func rows() throws -> [Row] {
    let page = try String(
      contentsOf: Places.package.appending(path: "Documentation/Stability.md"), encoding: .utf8)
    let lines = page.components(separatedBy: "| command line | exit status | |\n|---|---|---|\n")
      .last?.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("|") }
    return try (lines ?? []).map { line in
      let match = try #require(line.wholeMatch(of: /\| `(.*)` \| (\d+) \| .+ \|/), "\(line)")
      return Row(command: String(match.1), status: try #require(Int32(match.2)))
    }
  }

  @Test(.notInCheck) func theTable() throws {
    let fixture = try Self.folder()
    let program = try LookedAtProgram()
    let (clean, hooked) = (try program.started(), try program.started("patched"))
    let rows = try Self.rows()
    #expect(Set(rows.map(\.status)) == [0, 1, 2, 64])
    for row in rows {
      let result = try bash(
        "cd \"$1\"; CLEAN=$2 HOOKED=$3; \"$0\" \(row.command)",
        [fixture.directory.url.path, "\(clean.id)", "\(hooked.id)"])
      #expect(result.status == row.status, "\(row.command): \(result.errorOutput)")
      // Trouble is never silent.
      #expect(row.status < 2 || !result.errorOutput.isEmpty, "\(row.command)")
    }
    let names = rows.compactMap { $0.command.split(separator: " ").first.map(String.init) }
    #expect(try Set(names) == Set(Subcommands.names()))
  }

  /// The files that the table names.
  private static func folder() throws -> DependencyFixture {
    let fixture = DependencyFixture()
    let origin = ["-Wl,-rpath,$ORIGIN"]
    try fixture.library("libfoo.so", "int foo(void) { return 1; }")
    try fixture.library("new.so", "int foo(void) { return 1; } int bar;", soname: "libfoo.so")
    let plug = "int host_call(void); int use(void) { return host_call(); }"
    try fixture.library("libplug.so", plug)
    try fixture.library("plugins/libplug.so", plug)
    try fixture.write("documents/text", Data("no ELF file".utf8))
    let call = "#include <unistd.h>\nint foo(void); int use(void) { return foo() + getpid(); }"
    try fixture.program("app", call, needs: ["libfoo.so"], flags: origin)
    try fixture.library("libgone.so")
    try fixture.program("lacking", call, needs: ["libfoo.so", "libgone.so"], flags: origin)
    try fixture.delete("libgone.so")
    let whole = try Data(contentsOf: URL(filePath: fixture.path("libfoo.so")))
    try fixture.write("broken.so", whole.prefix(200))
    var annotated = try AnnotatedFile(LinkMode(.bfd, .program)).bytes()
    try fixture.write("annotated", annotated)
    let magic = try #require(annotated.range(of: Data("RBA1".utf8)))
    annotated[magic.lowerBound + 3] += 1
    try fixture.write("faulty", annotated)
    return fixture
  }
}
