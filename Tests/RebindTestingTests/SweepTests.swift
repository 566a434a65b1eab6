import Foundation
import Glibc
import RebindTesting
import TestSupport
import Testing

private struct CannotOpen: Error {}

/// Sweeps over functions with known mistakes.
@Suite(.measured) struct SweepTests {
  private typealias OpenTwo = @convention(c) (UnsafePointer<CChar>) -> CInt

  @Test func leakWhenTheSecondOpenFails() throws {
    let openTwo = try TypedCalls.function("open_two", as: OpenTwo.self)
    let report = try sweepFaults(in: "open", errno: EMFILE) {
      if openTwo("/etc/hostname") != 0 { throw CannotOpen() }
    }
    #expect(report.isComplete && report.runs.count == 3 && report.findings.count == 1)
    let leak = try #require(report.findings.first?.leaks.first)
    #expect(
      report.description == """
        open failed at 2 calls in turn: 1 finding
        call 2: threw CannotOpen(), leaked descriptor \(leak.number) (/etc/hostname)
        """)
  }

  @Test func crashWhenTheSecondMallocFails() throws {
    let allocateTwo: TypedCalls.Int32Caller = try TypedCalls.function("allocate_two")
    let report = try sweepFaults(in: "malloc", returning: nil, errno: ENOMEM) {
      if allocateTwo() != 0 { throw CannotOpen() }
    }
    #expect(
      report.description == """
        malloc failed at 2 calls in turn: 1 finding
        call 2: crashed with signal 11 (Segmentation fault)
        """)
    #expect(
      report.runs.map(\.outcome) == [.returned, .threw("CannotOpen()"), .crashed(signal: 11)])
  }

  @Test func nothingToFind() throws {
    let report = try sweepFaults(in: "getppid", returning: 0) { for _ in 0..<5 { _ = getppid() } }
    #expect(report.runs.map(\.call) == [nil, 1, 2, 3, 4, 5] && report.isComplete)
    #expect(report.description == "getppid failed at 5 calls in turn: 0 findings")
  }

  /// A file that was open before may be deleted meanwhile, here or in another process.
  @Test func deletedFileIsNoLeak() throws {
    let directory = try TemporaryDirectory()
    let path = directory.url.appending(path: "file").path
    let file = open(path, O_CREAT | O_RDWR, 0o600)
    try #require(file >= 0)
    defer { close(file) }
    let report = try sweepFaults(in: "getppid") { unlink(path) }
    #expect(report.findings.isEmpty, "\(report)")
  }

  @Test func limit() throws {
    let report = try sweepFaults(in: "getppid", limit: 2) { for _ in 0..<5 { _ = getppid() } }
    #expect(report.runs.count == 3 && !report.isComplete)
    #expect(
      report.description == "getppid failed at 2 calls in turn, and there may be more: 0 findings")
    let exact = try sweepFaults(in: "getppid", limit: 5) { for _ in 0..<5 { _ = getppid() } }
    #expect(exact.isComplete)
  }

  /// A body that does not end well without a fault is a finding too.
  @Test func mistakesWithoutAFault() throws {
    let thrown = try sweepFaults(in: "getppid") { throw CannotOpen() }
    #expect(thrown.findings.map(\.description) == ["without a fault: threw CannotOpen()"])
    let crashed = try sweepFaults(in: "getppid") { abort() }
    #expect(crashed.runs.map(\.outcome) == [.crashed(signal: SIGABRT)] && !crashed.isComplete)
    let exited = try sweepFaults(in: "getppid") { _exit(3) }
    #expect(exited.runs.map(\.outcome) == [.exited(status: 3)])
    let hung = try sweepFaults(in: "getppid", timeLimit: .milliseconds(200)) {
      while true { pause() }
    }
    #expect(hung.findings.map(\.outcome) == [.timedOut])
  }

  /// The body's changes stay in its own process.
  @Test func runsDoNotSeeEachOther() throws {
    var runs = 0
    let report = try sweepFaults(in: "getppid") {
      runs += 1
      if runs != 1 { throw CannotOpen() }
      _ = getppid()
    }
    #expect(runs == 0 && report.runs.map(\.outcome) == [.returned, .returned])
  }
}
