import TestSupport

#if Commands

@testable import rebind_inspect

/// The files that the declarations of fields and subcommands make. `make golden` writes them anew.
@Suite(.needsCommands, .measured) struct GeneratedFileTests {
  @Test func theSchemaIsThatOfTheDeclarations() throws {
    try compare(
      SchemaText(RebindInspect.subcommands).text, "Documentation/rebind-inspect.schema.json")
  }

  @Test func theTablesOfFieldsAreThoseOfTheDeclarations() throws {
    let path = "Documentation/JSON.md"
    let tables = FieldTables(RebindInspect.subcommands)
    try compare(tables.updated(read(path)), path)
    #expect(tables.faults(in: read(path)) == [])
  }

  @Test func aMarkOfNothingIsAFault() {
    let tables = FieldTables(RebindInspect.subcommands)
    let wrong = [
      "<!-- fields: none -->", "<!-- words: why -->", "<!-- words: tree kind -->", "## `none`",
    ]
    let right = ["<!-- fields: slot -->", "<!-- words: why reason -->", "## `why`", "<!-- end -->"]
    #expect(tables.faults(in: (wrong + right).joined(separator: "\n")) == wrong)
  }

  /// An object with a field of any other subcommand is none of a subcommand whose fields it has too.
  @Test func theSchemaTellsSubcommandsApart() throws {
    func record(_ name: StaticString, _ keys: StaticString...) -> (name: String, record: Record) {
      let fields = keys.map { Declaration($0, .text, "") }
      return (name.description, Record(name.description, of: "the file", fields))
    }
    let text = SchemaText([record("one", "a"), record("two", "a", "b"), record("three", "c", "a")])
      .text
    let schema = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    let one = (schema?["$defs"] as? [String: Any])?["one"] as? [String: Any]
    let others = (one?["not"] as? [String: Any])?["anyOf"] as? [[String: [String]]]
    #expect(others == [["required": ["b"]], ["required": ["c"]]])
  }

  /// Lines of the page that a tool could break are no longer than a reader's window.
  @Test func linesOfThePageHaveAtMost120Columns() {
    let parts = read("Documentation/JSON.md").components(separatedBy: "\n```")
    for (index, part) in parts.enumerated() where index.isMultiple(of: 2) {
      for line in part.split(separator: "\n") where !line.hasPrefix("|") {
        #expect(line.count <= 120, "\(line)")
      }
    }
  }

  /// A name stands for one record, in the schema and in the marks.
  @Test func recordsHaveNamesOfTheirOwn() {
    let tables = FieldTables(RebindInspect.subcommands)
    for (name, records) in Dictionary(grouping: tables.records, by: \.name) {
      #expect(Set(records.map(\.table)).count == 1, "\(name)")
    }
  }

  @Test func thePagesHaveTheTextOfTheHelp() throws {
    let catalog = "Sources/rebind-inspect/rebind-inspect.docc"
    let helps = try SubcommandHelp.all()
    for subcommand in RebindInspect.subcommands {
      let path = "\(catalog)/\(subcommand.name).md"
      let help = try #require(helps.first { $0.commandName == subcommand.name })
      try compare(ArticleText(subcommand, help).updated(read(path)), path)
    }
    let landing = "\(catalog)/rebind-inspect.md"
    try compare(ArticleText.landing(read(landing), RebindInspect.subcommands), landing)
  }

  /// The text of a file; empty if it is not there yet.
  private func read(_ path: String) -> String {
    (try? String(contentsOf: Places.package.appending(path: path), encoding: .utf8)) ?? ""
  }

  /// Compares a file with the text that it should have, or writes that.
  private func compare(_ text: String, _ path: String) throws {
    let url = Places.package.appending(path: path)
    if ProcessInfo.processInfo.environment["REBIND_GOLDEN"] == "write" {
      try Data(text.utf8).write(to: url)
    }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let written = try String(contentsOf: url, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
    for (line, expected) in zip(written, lines) where line != expected {
      #expect(line == expected, "\(path) is not written anew: make golden")
      return
    }
    #expect(written.count == lines.count, "\(path) is not written anew: make golden")
  }
}

#endif
