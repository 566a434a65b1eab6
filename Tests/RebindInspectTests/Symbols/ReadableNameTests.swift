import TestSupport

/// The options of `symbols` take the names that it shows, and it shows where a symbol is from.
@Suite(.needsCommands, .measured) struct ReadableNameTests {
  /// With `--demangle`, a pattern is held against what is shown: both names.
  @Test func patternsMatchReadableNames() throws {
    let fixture = try BuiltFixture()
    func names(_ options: String...) throws -> [String]? {
      try Report(options + [fixture.path]).files.first?.symbols?.map(\.name)
    }
    for order in ["index", "name"] {
      #expect(try names("--demangle", "--sort", order, "--name", "foo::*") == ["_ZN3foo3barEi"])
    }
    #expect(try names("--demangle", "--name", "/^main\\.foo/") == ["$s4main3fooyyF"])
    #expect(try names("--demangle", "--name", "_ZN3foo*") == ["_ZN3foo3barEi"])
    #expect(try names("--name", "foo::*") == [])
  }

  /// Above the titles, and nowhere off a terminal, where each line is a symbol.
  @Test(arguments: [("x86-64.so", nil), ("headerless.so", "DT_")])
  func theSourceIsToldOnATerminal(input: String, source: String?) throws {
    let path = GoldenTests.folder.appending(path: input).path
    let result = try run(
      Places.python,
      ["-c", "import pty, sys; pty.spawn(sys.argv[1:])", inspectPath, "--color", "never", path])
    let first = try #require(result.output.split(separator: "\r\n").first)
    let stated = try #require(try Report([path]).files.first?.symbolSource)
    if let source {
      #expect(stated.hasPrefix(source))
      #expect(first == "counted by \(stated), not by section headers")
    } else {
      #expect(first.hasPrefix("INDEX"))
    }
  }
}
