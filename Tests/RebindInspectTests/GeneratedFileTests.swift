import Foundation
import TestSupport
import Testing

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
    try compare(FieldTables(RebindInspect.subcommands).updated(read(path)), path)
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
