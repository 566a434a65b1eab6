import TestSupport

/// The tables of system calls in SECURITY.md, with the sources.
@Suite(.measured) struct SystemCallTests {
  private func text(_ path: String) throws -> String {
    try String(contentsOf: Places.package.appending(path: path), encoding: .utf8)
  }

  /// The rows of the table whose head begins so, each a list of its cells.
  private func table(_ head: String) throws -> [[String]] {
    let lines = try text("SECURITY.md").split(separator: "\n")
    let start = try #require(lines.firstIndex { $0.hasPrefix(head) })
    return lines[start...].dropFirst(2).prefix { $0.hasPrefix("|") }.map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  private func codes(in cell: String) -> [String] {
    cell.matches(of: /`([^`]+)`/).map { String($0.1) }
  }

  /// The names behind `SYS_` in a target's C sources.
  private func calls(of target: String) throws -> Set<String> {
    let folder = "Sources/\(target)"
    let files = try FileManager.default.subpathsOfDirectory(
      atPath: Places.package.appending(path: folder).path
    ).filter { $0.hasSuffix(".c") || $0.hasSuffix(".h") }
    return try Set(
      files.flatMap { file in
        try text("\(folder)/\(file)").matches(of: /(?:^|[^A-Za-z0-9_])SYS_([a-z0-9_]+)/)
          .map { String($0.1) }
      })
  }

  @Test func securityListsTheCallsOfTheCore() throws {
    let listed = try table("| system call |").flatMap { codes(in: $0[0]) }
    #expect(listed.count == Set(listed).count)
    #expect(try Set(listed).symmetricDifference(calls(of: "CRebind")).sorted() == [])
  }

  @Test func securityListsTheCallsOfOtherTargets() throws {
    let sources = Places.package.appending(path: "Sources").path
    var found: [String: Set<String>] = [:]
    for target in try FileManager.default.contentsOfDirectory(atPath: sources)
    where target != "CRebind" {
      let calls = try calls(of: target)
      if !calls.isEmpty { found[target] = calls }
    }
    let listed = try table("| target |").map { (codes(in: $0[0])[0], Set(codes(in: $0[1]))) }
    #expect(Dictionary(uniqueKeysWithValues: listed) == found)
  }
}
