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
    // Bytes that are not zero, and those beside them, are those that mean something.
    let meaningful = bytes.indices.filter {
      bytes[max($0 - 1, 0)...].prefix(3).contains { $0 != 0 }
    }
    let headers = Array(0..<min(512, bytes.count))
    var generator = SplitMix64(state: 0x5eed)
    let damaged = (0..<400).map { _ in
      var copy = bytes
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let places = Bool.random(using: &generator) ? headers : meaningful
        guard let place = places.randomElement(using: &generator) else { continue }
        copy[place] =
          Bool.random(using: &generator)
          ? copy[place] ^ (1 << UInt8.random(in: 0..<8, using: &generator))
          : [0, 1, 0x7f, 0x80, 0xff].randomElement(using: &generator) ?? 0
      }
      return copy
    }
    let files = try check(fixture, damaged)
    #expect(files.contains { $0.error != nil })
    #expect(files.contains { $0.symbols?.isEmpty == false })
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

/// A random sequence that is the same in each run: Steele, Lea and Flood's SplitMix64.
private struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
