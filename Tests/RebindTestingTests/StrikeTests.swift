import RebindTesting
import Synchronization
import TestSupport

/// A trait's fault that does not strike is an issue of the test, or of the suite.
@Suite(.measured) struct StrikeTests {
  @Test(
    .hasIssue("struck 0 of 1 time (all calls): 0 calls in reach", severity: .error),
    .failing("getppid", returning: 5))
  func noCall() {}

  @Test(
    .hasIssue("3 calls on other threads or detached tasks: use reach: .process", severity: .error),
    .failing("getpgrp", returning: 5))
  func callsOfOthers() async {
    onThreads(2) { _ = getpgrp() }
    _ = await Task.detached { getpgrp() }.value
  }

  @Test(
    .hasIssue("struck 0 of 1 time (call 3): 2 calls in reach, 0 struck", severity: .error),
    .failing("getppid", returning: 5, onCall: 3))
  func tooFewCalls() { _ = [getppid(), getppid()] }

  @Test(.failing("getppid", returning: 5, mayNotStrike: true))
  func mayNotStrike() {}

  /// Of a function that no other test makes fail.
  @Test(.failing("sched_get_priority_min", returning: 5, reach: .process))
  func reach() async {
    let seen = await Task.detached { sched_get_priority_min(SCHED_FIFO) }.value
    #expect(seen == 5)
  }

  /// One of its tests is struck, so the other has a warning.
  @Suite(
    .hasIssue("the fault of getppid struck 0 of 1 time", severity: .warning),
    .failing("getppid", returning: 5))
  struct SomeAreStruck {
    @Test func isNot() {}
    @Test func isStruck() { #expect(getppid() == 5) }
  }

  /// The suite has an error, and each test a warning.
  @Suite(
    .hasIssue("in no test of the suite: the fault of getppid struck 0 of 1 time", severity: .error),
    .hasIssue("the fault of getppid struck 0 of 1 time", severity: .warning, count: 3),
    .failing("getppid", returning: 5))
  struct NoneIsStruck {
    @Test func isNot() {}

    @Suite struct Inside {
      @Test(arguments: 0..<2)
      func isNot(number: Int) {}
    }
  }

  /// Two suites have one trait, at the same time, and it strikes in one of them.
  @Suite struct SharedTrait {
    static let trait = FailingTrait.failing("getppid", returning: 5)

    @Suite(trait) struct Struck {
      @Test func isStruck() async throws {
        try await Task.sleep(for: .milliseconds(20))
        #expect(getppid() == 5)
      }
    }

    @Suite(
      .hasIssue("in no test of the suite: the fault of getppid", severity: .error),
      .hasIssue("the fault of getppid struck 0 of 1 time", severity: .warning), trait)
    struct NotStruck {
      @Test func isNot() {}
    }

    @Test(.hasIssue("the fault of getppid struck 0 of 1 time", severity: .error), trait)
    func isNotEither() {}
  }

  @Suite(.failing("getppid", returning: 5, mayNotStrike: true))
  struct NoneHasTo {
    @Test func isNot() {}
  }

  /// Of a function that no other test makes fail in the whole process meanwhile.
  @Test(.recordingCalls("sched_get_priority_max", reach: .process))
  func recordingsReachTheProcess() async throws {
    _ = await Task.detached { sched_get_priority_max(SCHED_FIFO) }.value
    let recording = try #require(CallRecording.current)
    #expect(recording.calls(of: "sched_get_priority_max").count >= 1)
  }
}

/// Expects an issue of the traits behind it.
private struct HasIssue: TestTrait, SuiteTrait, TestScoping {
  let text: String
  let severity: Issue.Severity
  let count: Int

  func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
    test.isSuite || testCase != nil ? self : nil
  }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let found = Mutex(0)
    try await withKnownIssue(isIntermittent: true) {
      try await function()
    } matching: { issue in
      let isMeant =
        issue.severity == severity && issue.comments.contains { $0.rawValue.contains(text) }
        && (test.isSuite || issue.sourceLocation == test.sourceLocation)
      if isMeant { found.withLock { $0 += 1 } }
      return isMeant
    }
    #expect(found.withLock { $0 } == count, "\(test.name)", sourceLocation: test.sourceLocation)
  }
}

extension Trait where Self == HasIssue {
  fileprivate static func hasIssue(_ text: String, severity: Issue.Severity, count: Int = 1) -> Self
  {
    Self(text: text, severity: severity, count: count)
  }
}
