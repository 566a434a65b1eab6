import Foundation
import TestSupport
import Testing

/// What each subcommand prints of small files of several machines, byte for byte.
///
/// `make golden` writes the output anew; then read the difference.
@Suite struct GoldenTests {
  static let folder = Places.package.appending(path: "Tests/RebindInspectTests/Golden/Inputs")
  static let inputs = [
    "x86-64.so", "headerless.so", "x86-64.o", "x86-64.a", "i386.so", "powerpc.so", "s390x.so",
    "aarch64.so",
  ]

  /// What is run on all inputs; the golden output has the words in its name.
  static let commands = [
    "symbols", "symbols --demangle --exports", "relocations", "dynamic", "segments", "sections",
    "section names --as pointers", "section .shstrtab --as strings", "notes", "annotations",
    "hardening",
  ]

  @Test(arguments: commands, ["text", "json"])
  func output(command: String, format: String) throws {
    let words = command.split(separator: " ").map(String.init)
    let result = try run(
      inspectPath, words + ["--format", format] + Self.inputs, currentDirectory: Self.folder)
    let name = words.map { $0.filter { $0.isLetter } }.joined(separator: "-")
    let golden = Self.folder.deletingLastPathComponent()
      .appending(path: "\(name).\(format == "text" ? "txt" : "json")")
    if ProcessInfo.processInfo.environment["REBIND_GOLDEN"] == "write" {
      try (result.standardOutput + result.standardError).write(to: golden)
    }
    let expected = try String(contentsOf: golden, encoding: .utf8)
    let lines = (result.output + result.errorOutput).split(
      separator: "\n", omittingEmptySubsequences: false)
    let expectedLines = expected.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == expectedLines.count)
    for (line, expected) in zip(lines, expectedLines) where line != expected {
      // One is enough: the rest are likely to differ in the same way.
      #expect(line == expected)
      break
    }
  }
}
