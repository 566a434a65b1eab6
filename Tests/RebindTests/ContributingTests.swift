import Foundation
import TestSupport
import Testing

/// The table of targets in CONTRIBUTING.md, with the Makefile and `.ci/run`.
@Suite(.measured) struct ContributingTests {
  private func text(_ path: String) throws -> String {
    try String(contentsOf: Places.package.appending(path: path), encoding: .utf8)
  }

  /// Each row's targets, and its cell for `.ci/run`.
  private func rows() throws -> [(targets: [String], isRun: String)] {
    let lines = try text("CONTRIBUTING.md").split(separator: "\n")
    let start = try #require(lines.firstIndex { $0.hasPrefix("| `make` |") })
    return lines[start...].dropFirst(2).prefix { $0.hasPrefix("|") }.map { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      return (Self.codes(in: cells[0]), cells[cells.count - 1])
    }
  }

  private static func codes(in cell: String) -> [String] {
    cell.matches(of: /`([^`]+)`/).map { String($0.1) }
  }

  @Test func theCheckRunsTheTargetsThatTheTableSays() throws {
    let run = try text(".ci/run").matches(of: /\nmake ([a-z-]+)/).map { String($0.1) }
    var said: [String] = []
    for row in try rows() {
      if row.isRun == "yes" {
        said += row.targets
      } else if row.isRun.hasPrefix("by ") {
        // Another one that it runs does this.
        #expect(Self.codes(in: row.isRun).allSatisfy(run.contains), "\(row)")
        #expect(Set(row.targets).isDisjoint(with: run), "\(row)")
      } else if row.isRun != "no" {
        // One of the row's.
        #expect(Set(Self.codes(in: row.isRun)).isSubset(of: row.targets), "\(row)")
        said += Self.codes(in: row.isRun)
      }
    }
    #expect(run.count > 10 && run.sorted() == said.sorted())
  }

  @Test func theTableHasAllTargets() throws {
    let line = try #require(try text("Makefile").firstMatch(of: /\n\.PHONY: (.*)/))
    #expect(
      try rows().flatMap(\.targets).sorted()
        == line.1.split(separator: " ").sorted().map(String.init))
  }
}
