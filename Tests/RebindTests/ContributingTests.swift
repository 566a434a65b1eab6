import TestSupport

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

  /// The targets that each stage of `.ci/run` calls.
  private func stages() throws -> [String: [String]] {
    let pattern = /\n  (?<stage>[a-z]+)\)(?<lines>[^;]*);;/
    return Dictionary(
      uniqueKeysWithValues: try text(".ci/run").matches(of: pattern).map { match in
        (String(match.stage), match.lines.matches(of: /make ([a-z-]+)/).map { String($0.1) })
      })
  }

  @Test func theStagesRunTheTargetsThatTheTableSays() throws {
    let stages = try stages()
    let all = stages.values.flatMap { $0 }
    var said: [String: [String]] = [:]
    for row in try rows() {
      if stages[row.isRun] != nil {
        said[row.isRun, default: []] += row.targets
      } else if row.isRun.hasPrefix("by ") {
        // Another one that it runs does this.
        #expect(Self.codes(in: row.isRun).allSatisfy(all.contains), "\(row)")
        #expect(Set(row.targets).isDisjoint(with: all), "\(row)")
      } else if let (target, stage) = row.isRun.wholeMatch(of: /`([a-z-]+)` by ([a-z]+)/).map({
        ($0.1, $0.2)
      }) {
        // One of the row's.
        #expect(row.targets.contains(String(target)))
        said[String(stage), default: []].append(String(target))
      } else {
        #expect(row.isRun == "no", "\(row)")
      }
    }
    #expect(stages.keys.sorted() == ["core", "docs", "products", "test"])
    #expect(stages.mapValues { $0.sorted() } == said.mapValues { $0.sorted() })
  }

  /// A test that waits for a stage is in a suite that the stage's target names.
  @Test(arguments: [("inCore", "CORE_SUITES"), ("inProducts", "PRODUCT_SUITES")])
  func theStagesRunTheTestsThatWaitForThem(trait: String, variable: String) throws {
    let names = try #require(try text("Makefile").firstMatch(of: Regex("\\n\(variable) = (.*)")))
    let filters = (names.output[1].substring ?? "").split(separator: "|").map(String.init)
    let folder = Places.package.appending(path: "Tests")
    let sources = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix("Tests.swift") }
    let waiting = try sources.filter {
      try text("Tests/\($0)").contains(Regex("[ (]\\.\(trait)\\b"))
    }
    .map { String($0.split(separator: "/").last?.dropLast(".swift".count) ?? "") }
    #expect(!waiting.isEmpty)
    for suite in waiting { #expect(filters.contains { $0.contains(suite) }, "\(suite)") }
  }

  /// The workflow has a job for each.
  @Test func theWorkflowRunsEachStage() throws {
    let line = try #require(try text(".github/workflows/ci.yml").firstMatch(of: /stage: \[(.*)\]/))
    #expect(try line.1.split(separator: ", ").map(String.init).sorted() == stages().keys.sorted())
  }

  @Test func theTableHasAllTargets() throws {
    let line = try #require(try text("Makefile").firstMatch(of: /\n\.PHONY: (.*)/))
    #expect(
      try rows().flatMap(\.targets).sorted()
        == line.1.split(separator: " ").sorted().map(String.init))
  }
}
