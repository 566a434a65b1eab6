import RebindTesting
import TestSupport

/// A trait's fault that does not strike is an issue of the test, or of the suite.
@Suite(.measured) struct StrikeTests {
  @Test(
    .hasIssue("struck 0 of 1 time (all calls): 0 calls in reach", severity: .error),
    .failing("getppid", returning: 5))
  func noCall() {}

  /// It has slots, or the fault had been refused.
  @Test(
    .hasIssue(
      "; the code under test did not call sigaltstack: it may use another", severity: .error),
    .failing("sigaltstack"))
  func noCallOfAFunctionWithSlots() {}

  @Test(.hasIssue("struck 0 of 1 time (call 2): 1 call in reach", severity: .error))
  func aPartOfATest() throws {
    let seen = try withFailing("getppid", returning: 5, onCall: 2) { getppid() }
    #expect(seen != 5)
    try withFailing("getppid", onCall: 2, mayNotStrike: true) { _ = getppid() }
  }

  @Test(.hasIssue("struck 0 of 1 time (all calls): 0 calls", severity: .error, count: 3))
  func otherFormsOfAPart() async throws {
    try await withFailing("getppid") { await Task.yield() }
    try withFailing("getppid", reach: .thread) { _ in }
    // The body's own error is passed on.
    await #expect(throws: CancellationError.self) {
      try await withFailing("getppid") { throw CancellationError() }
    }
  }

  /// Outside of a test it is an error, unless the body throws one.
  @Test func outsideOfATest() async {
    await #expect(processExitsWith: .success) {
      try #require(Test.current == nil)
      let error = try #require(throws: RebindTestingError.self) { try withFailing("getppid") {} }
      try #require(error.code == .notStruck)
      try #require("\(error)".hasPrefix("the fault of getppid struck 0 of 1 time (all calls): "))
      try #require(throws: CancellationError.self) {
        try withFailing("getppid") { throw CancellationError() }
      }
    }
  }

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

  /// Each of the first two strikes in one test, where the others need not. The third strikes in none.
  @Suite(
    .hasIssue(
      "in no test of the suite: Fault(getsid fails with EPERM) struck 0 of 1 time", severity: .error
    ),
    .hasIssue("Fault(getsid fails", severity: .warning, count: 0),
    .failing(
      Fault("getppid", returning: 5), Fault("getpgid", errno: EPERM), Fault("getsid", errno: EPERM))
  )
  struct OneOfSeveralIsStruck {
    @Test func isTheFirst() { #expect(getppid() == 5) }
    @Test func isTheSecond() { #expect(getpgid(0) == -1) }
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
