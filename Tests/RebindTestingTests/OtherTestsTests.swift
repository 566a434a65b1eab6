import RebindTesting
import Synchronization
import TestSupport

/// A scope of the process that meets the calls of another test is an issue of its own.
@Suite(.measured) struct OtherTestsTests {
  /// Side by side: the innocent one calls while the other's scope is there.
  @Suite struct SideBySide {
    private static let isThere = Atomic(false)
    private static let hasCalled = Atomic(false)

    private func wait(for flag: borrowing Atomic<Bool>) async throws {
      while !flag.load(ordering: .acquiring) { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test(
      .hasIssue(
        "the rebinding of getpgid acts for the whole process, and met calls of other tests: innocent(). Put all",
        severity: .error),
      .failing("getpgid", returning: -7, reach: .process))
    func ofTheProcess() async throws {
      Self.isThere.store(true, ordering: .releasing)
      try await wait(for: Self.hasCalled)
      // Its own tasks, and threads that run no task, are no other test's.
      async let child = getpgid(0)
      let own = await [getpgid(0), child, Task.detached { getpgid(0) }.value]
      #expect(own == [-7, -7, -7])
    }

    @Test func innocent() async throws {
      try await wait(for: Self.isThere)
      let seen = getpgid(0)
      Self.hasCalled.store(true, ordering: .releasing)
      #expect(seen == -7)
    }
  }

  /// Nor those of the testing library itself, which asks for the time.
  @Test(.failing("timespec_get", returning: 0, reach: .process, mayNotStrike: true))
  func callsOfTheTestingLibrary() async throws { try await Task.sleep(for: .milliseconds(20)) }

  @Test(.failing("getgid", returning: 77, reach: .process))
  func callsOfNoTest() async {
    onThreads(2) { _ = getgid() }
    let result = await Task.detached { getgid() }.value
    #expect(result == 77)
  }
}
