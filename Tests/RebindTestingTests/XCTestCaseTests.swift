import Foundation
import Glibc
import RebindTesting
import XCTest

/// The functions, as users of XCTest call them.
final class XCTestCaseTests: XCTestCase {
  func testRebinding() throws {
    var handled = 0
    let seen = try withRebinding(
      "getppid", reach: .thread,
      { original in
        handled += 1
        return original() + 1 as pid_t
      }
    ) { getppid() }
    XCTAssertEqual(seen, getppid() + 1)
    XCTAssertEqual(handled, 1)
  }

  func testFailingWhileSuspending() async throws {
    try await withFailing("open", errno: ENOENT) {
      await Task.yield()
      XCTAssertEqual(open("/etc/os-release", O_RDONLY), -1)
    }
  }

  func testFrozenTime() throws {
    try withFrozenTime(.seconds(86_400)) {
      XCTAssertEqual(Date().timeIntervalSince1970, 86_400)
    }
  }

  func testRecordedCalls() throws {
    try withRecordedCalls(of: "getppid") { recording in
      _ = getppid()
      XCTAssertEqual(recording.calls.map(\.function), ["getppid"])
    }
  }

  func testSweep() throws {
    let report = try sweepFaults(in: "getppid") { _ = getppid() }
    XCTAssertEqual(report.findings, [])
  }
}
