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

/// A fault for all tests of a class, around `setUp` and `tearDown`.
final class XCTestInvocationTests: XCTestCase {
  private var seenInSetUp: pid_t = 0

  override func invokeTest() {
    do {
      try withFailing("getppid", returning: 5) { fault in
        super.invokeTest()
        XCTAssertNil(fault.shortfall)
        XCTAssertEqual(fault.strikes, 3)
      }
    } catch {
      XCTFail("\(error)")
    }
  }

  override func setUp() { seenInSetUp = getppid() }
  override func tearDown() { XCTAssertEqual(getppid(), 5) }

  func testOfTheThread() {
    XCTAssertEqual(seenInSetUp, 5)
    XCTAssertEqual(getppid(), 5)
  }

  func testOfATask() async {
    let seen = await Task { getppid() }.value
    XCTAssertEqual(seen, 5)
  }
}
