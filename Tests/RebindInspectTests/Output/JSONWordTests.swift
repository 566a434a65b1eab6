import RebindFiles
import TestSupport

#if Commands

@testable import rebind_inspect

/// Documentation/JSON.md has all words of the output that are no list of the help's, by the sources.
@Suite(.needsCommands, .measured) struct JSONWordTests {
  private func text(_ path: String) throws -> String {
    try String(contentsOf: Places.package.appending(path: path), encoding: .utf8)
  }

  /// The part of the page below a heading.
  private func part(_ heading: String) throws -> String {
    let rest = try text("Documentation/JSON.md").components(separatedBy: "\n## \(heading)\n")
    return try #require(rest.dropFirst().first).components(separatedBy: "\n## ")[0]
  }

  /// The words that the rows below a title start with.
  private func rows(below title: String, of part: String) throws -> [String] {
    let table = try #require(part.components(separatedBy: "\n\(title)\n").dropFirst().first)
      .components(separatedBy: "\n\n")[0]
    return table.matches(of: /(?:^|\n)\| `([^`]+)` \|/).map { String($0.1) }
  }

  @Test func codesOfErrors() throws {
    let codes = try text("Sources/RebindFiles/Bytes/ELFFileError+Code.swift")
      .matches(of: /static let \w+ = Code\(rawValue: "([^"]+)"\)/)
      .map { ELFFileError.Code(rawValue: String($0.1)).word }
    #expect(codes.count > 15)
    #expect(try rows(below: "| code | |", of: part("An error")).sorted() == codes.sorted())
  }

  @Test func codesOfFaults() throws {
    let reasons = try text("Sources/Rebind/Annotations/AnnotationFault.swift")
      .matches(of: /static let (\w+) = Self/).map { String($0.1) }
    let codes = try text("Sources/rebind-inspect/Annotations/AnnotationReport.swift")
      .matches(of: /case \.(\w+): "([^"]+)"/).map { (reason: String($0.1), code: String($0.2)) }
    #expect(reasons.count > 5 && codes.map(\.reason) == reasons)
    #expect(try rows(below: "| code | |", of: part("`annotations`")) == codes.map(\.code))
  }

  @Test func reasonsAndTheirDetails() throws {
    let list = try text("Sources/CRebind/include/CRebindReasons.def")
    let rows = list.matches(of: /\nCREBIND_REASON_ROW\((\w+), \d+, "([a-z-]+)"/)
      .map { (constant: String($0.1), word: String($0.2)) }
    let constants = try text("Sources/Rebind/Diagnosis.swift")
      .matches(of: /static let \w+ = Self\(CREBIND_REASON_(\w+)\)/).map { String($0.1) }
    #expect(constants == rows.map(\.constant))
    // Nothing that the subcommand asks has a scope, and it asks of each image alone.
    let asked = rows.map(\.word).filter { $0 != "not-in-scope" && $0 != "other-scope" }
    let ofFiles = try text("Sources/rebind-inspect/Why/Diagnosis.Reason+Words.swift")
      .matches(of: /case \.\w+: "([a-z-]+)"\n/).map { String($0.1) }
    let words = WhyCommand.manual.words.flatMap(\.words).map(\.word)
    #expect(words.sorted() == (asked + ofFiles).sorted())

    // "process" is only the sentence of a reason without a detail.
    let details = list.matches(of: /\nCREBIND_DETAIL_ROW\((\w+), "([^"]+)"/)
      .filter { $0.1 != "NOT_IN_SCOPE" && $0.2 != "process" }.map { String($0.2) }
    #expect(details.count > 10)
    let table = try part("`why`").components(separatedBy: "| `reason` | `detail` | |").last ?? ""
    for detail in details { #expect(table.contains("`\(detail)`"), "\(detail)") }
  }

  /// A field whose words are "below" has a list of words behind it, in its part.
  @Test func wordsBelowAreBelow() throws {
    var fields = 0
    for part in try text("Documentation/JSON.md").components(separatedBy: "\n## ") {
      for field in part.ranges(of: /one of the (?:words|kinds|reasons) below/) {
        fields += 1
        let rest = part[field.upperBound...]
        #expect(
          rest.contains(/\n\| `?\w+`? \| \|\n\|---\|---\|\n/), "\(part.prefix { !$0.isNewline })")
      }
    }
    #expect(fields > 5)
    let reasons = TreeCommand.manual.words.flatMap(\.words).map(\.word)
    #expect(try rows(below: "| reason | |", of: part("Tables")) == reasons)
  }
}

#endif
