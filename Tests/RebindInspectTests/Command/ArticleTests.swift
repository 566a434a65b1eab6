import TestSupport

/// The documentation has the options that the command has.
@Suite(.needsCommands, .measured) struct ArticleTests {
  @Test func optionsAreThoseOfTheHelp() throws {
    let pages = try Articles.of("rebind-inspect")
    let documented = try Set(
      pages.flatMap { try options(in: String(contentsOf: $0, encoding: .utf8)) })
    let subcommands = pages.map { $0.deletingPathExtension().lastPathComponent }
      .filter { !["rebind-inspect", "InCI"].contains($0) }
    let helps = [["--help"]] + subcommands.map { ["help", $0] }
    let shown = try helps.map { try inspect($0).output }
    #expect(documented == Set(shown.flatMap(options)))
    // Each subcommand has a page, and the first page leads to it.
    #expect(try Set(Subcommands.names()) == Set(subcommands))
  }

  private func options(in text: String) -> [String] {
    text.matches(of: /--[a-z][a-z-]*/).map { String($0.output) }
  }
}
