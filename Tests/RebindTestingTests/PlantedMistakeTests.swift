import RebindTesting
import TestSupport

/// Sweeps find each mistake of a program that has several to choose from, and nothing without one.
@Suite(.measured, .notInCheck) struct PlantedMistakeTests {
  private struct WrongCopy: Error {}

  private struct Program {
    let choose: @convention(c) (CInt) -> Void
    let copy: @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>) -> CInt

    init() throws {
      // Its folder lasts as long as the builder does; the library stays loaded.
      let builder = try FixtureBuilder(.clang)
      let file = try builder.buildLibrary("libplanted.so", from: "planted.c", flags: ["-O1"])
      let library = try withExtendedLifetime(builder) {
        try #require(dlopen(file.path, RTLD_NOW))
      }
      choose = unsafeBitCast(try #require(dlsym(library, "choose_mistake")), to: type(of: choose))
      copy = unsafeBitCast(try #require(dlsym(library, "copy_note")), to: type(of: copy))
    }
  }

  /// A sweep over the functions that the program calls, each failing as it may.
  private static let faults = [
    Fault("malloc", errno: ENOMEM), Fault("calloc", errno: ENOMEM), Fault("open", errno: EMFILE),
    Fault("read", errno: EIO), Fault("read", returning: .atMost(3)), Fault("write", errno: ENOSPC),
    Fault("write", returning: .atMost(3)), Fault("close", errno: EINTR),
  ]

  private func findings(_ program: Program, mistake: CInt) throws -> [String] {
    program.choose(mistake)
    defer { program.choose(0) }
    let directory = try TemporaryDirectory()
    let (from, to) = (
      directory.url.appending(path: "note").path, directory.url.appending(path: "copy").path
    )
    try Data("a note of some length".utf8).write(to: URL(filePath: from))
    return try Self.faults.flatMap { fault in
      let report = try sweepFaults(fault) {
        guard program.copy(from, to) == 0, hold(sameBytes: from, to) else { throw WrongCopy() }
      }
      return report.findings.map { "\(fault.symbol): \($0)" }
    }
  }

  @Test func eachIsFound() throws {
    let program = try Program()
    #expect(try findings(program, mistake: 0) == [])
    let expected: [(mistake: String, finding: String)] = [
      ("malloc unchecked", "malloc: call 1: crash: ended by SIGSEGV"),
      ("malloc unchecked", "malloc: call 2: crash: ended by SIGSEGV"),
      ("short read for the whole", "read: call 1: threw WrongCopy()"),
      ("short write for the whole", "write: call 1: threw WrongCopy()"),
      ("double close on error", "read: call 1: threw WrongCopy(), descriptor closed twice"),
      ("double close on EINTR", "close: call 1: returned, descriptor closed twice"),
      ("leak on error", "malloc: call 1: threw WrongCopy(), descriptor left open"),
      ("leak on error", "write: call 1: threw WrongCopy(), descriptor left open"),
    ]
    for (number, (mistake, finding)) in zip(1..., expected) {
      let found = try findings(program, mistake: CInt(number))
      #expect(found.contains { $0.hasPrefix(finding) }, "\(number), \(mistake): \(found)")
    }
  }
}

/// Compares two files by calls that the sweep does not fail.
private func hold(sameBytes first: String, _ second: String) -> Bool {
  func bytes(_ path: String) -> [CInt]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [CInt] = []
    while case let byte = fgetc(file), byte != EOF { bytes.append(byte) }
    return bytes
  }
  guard let first = bytes(first) else { return false }
  return first == bytes(second)
}
