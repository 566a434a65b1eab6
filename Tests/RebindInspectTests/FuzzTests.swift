import Foundation
import TestSupport
import Testing

/// Damaged files: a right answer or an error, but no signal, no hang and no end of memory.
@Suite struct FuzzTests {
  static let targets = [
    "x86_64-linux-gnu", "powerpc-linux-gnu", "s390x-linux-gnu", "i386-linux-gnu",
  ]

  @Test(arguments: targets)
  func truncated(target: String) throws {
    let fixture = try BuiltFixture(target: target)
    let bytes = try fixture.bytes()
    let lengths = Array(stride(from: 0, to: bytes.count, by: 64))
    let files = try check(fixture, lengths.map { Data(bytes.prefix($0)) })
    for (file, length) in zip(files, lengths) {
      #expect(file.error?.code == (length == 0 ? "empty" : "truncated"), "\(length) bytes")
    }
  }

  @Test(arguments: targets, [false, true])
  func flipped(target: String, hasSectionHeaders: Bool) throws {
    let fixture = try BuiltFixture(target: target)
    var bytes = try fixture.bytes()
    if !hasSectionHeaders { bytes = bytes.withoutSectionHeaders() }
    let damaged = bytes.damaged(times: 400)
    let files = try check(fixture, damaged)
    #expect(files.contains { $0.error != nil })
    #expect(files.contains { $0.symbols?.isEmpty == false })
  }

  enum Reading: String, CaseIterable {
    case annotations, pointers, compressed

    var arguments: [String] {
      switch self {
      case .annotations: ["annotations"]
      case .pointers: ["section", "names", "--as", "pointers"]
      case .compressed: ["section", ".debug_str", "--as", "strings"]
      }
    }
  }

  /// Section headers, notes, relocations and compressed headers.
  @Test(arguments: Reading.allCases, [nil] + targets)
  func sections(reading: Reading, target: String?) throws {
    guard reading != .compressed || target == nil else { return }
    let built =
      try target.map { try AnnotatedFile(target: $0) }
      ?? AnnotatedFile(LinkMode(.lld, .shared), flags: ["-g", "-gz=zlib"])
    let bytes = try built.bytes()
    let sources = reading == .annotations ? [bytes, bytes.withoutSectionHeaders()] : [bytes]
    let cut = stride(from: 0, to: bytes.count, by: max(64, bytes.count / 50)).map {
      bytes.prefix($0)
    }
    let contents = sources.flatMap { $0.damaged(times: 150) } + cut
    let paths = try contents.enumerated().map { try built.write($1, as: "damaged-\($0)") }
    let result = try bash(
      #"ulimit -v 2000000; ulimit -c 0; exec "$0" "$@" --format jsonl"#,
      reading.arguments + paths)
    #expect(!result.wasSignalled && result.status <= 1)
    let files = try result.output.split(separator: "\n").map {
      try JSONDecoder().decode(File.self, from: Data($0.utf8))
    }
    #expect(files.map(\.path) == paths)
    #expect(files.contains { $0.error != nil } && files.contains { $0.error == nil })
    let lines = files.reduce(0) { $0 + ($1.error == nil ? 0 : 1) + ($1.faults?.count ?? 0) }
    #expect(result.errorOutput.split(separator: "\n").count == lines)
  }

  /// Reads all files in one call, and returns what it says of each.
  private func check(_ fixture: BuiltFixture, _ contents: [Data]) throws -> [File] {
    let paths = try contents.enumerated().map { try fixture.write($1, as: "damaged-\($0)") }
    // 2 GB of address space are plenty; a minute is the limit of the test.
    let result = try bash(
      #"ulimit -v 2000000; ulimit -c 0; exec "$0" symbols --format jsonl --demangle "$@""#, paths)
    #expect(!result.wasSignalled && result.status <= 1)
    let files = try result.output.split(separator: "\n").map {
      try JSONDecoder().decode(File.self, from: Data($0.utf8))
    }
    #expect(files.map(\.path) == paths)
    for file in files { #expect((file.error == nil) != (file.symbols == nil)) }
    #expect(result.errorOutput.split(separator: "\n").count == files.count { $0.error != nil })
    return files
  }
}
