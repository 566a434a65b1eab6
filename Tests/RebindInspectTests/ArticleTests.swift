import Foundation
import TestSupport
import Testing

/// The documentation has the options that the command has.
@Suite struct ArticleTests {
  @Test func optionsAreThoseOfTheHelp() throws {
    let pages = try Articles.of("rebind-inspect")
    let documented = try Set(
      pages.flatMap { try options(in: String(contentsOf: $0, encoding: .utf8)) })
    let helps = try [
      ["--help"], ["help", "symbols"], ["help", "annotations"], ["help", "section"],
    ].map { try inspect($0).output }
    #expect(documented == Set(helps.flatMap(options)))
  }

  private func options(in text: String) -> [String] {
    text.matches(of: /--[a-z][a-z-]*/).map { String($0.output) }
  }
}
