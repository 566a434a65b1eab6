#if os(Linux) && !REBIND_ELSEWHERE
// The toolchain has no Testing to link statically.
#if canImport(Testing)
public import Testing

/// Makes calls fail while a test runs, and records an issue where a fault did not strike.
///
/// The trait also attaches the calls that each fault saw to that test.
///
/// On a suite the trait holds for each of its tests, which are counted apart. A test of the suite in which no
/// fault strikes has a warning. The suite has an issue for each fault that strikes in none of its tests.
public struct FailingTrait: TestTrait, SuiteTrait, TestScoping {
  let faults: [Fault]
  let reach: Reach<AnyBody>
  let mayNotStrike: Bool
  /// Tells traits apart: a test has its suite's, and suites may share one.
  let identity = Identity()

  final class Identity: Sendable {}

  /// The tallies of the suites that the test is in, by their traits.
  @TaskLocal static var tallies: [ObjectIdentifier: StrikeTally] = [:]

  private var tally: StrikeTally? { Self.tallies[ObjectIdentifier(identity)] }

  public var isRecursive: Bool { true }

  /// Cancels the test where a sanitizer defines one of the functions.
  public func prepare(for test: Test) async throws {
    try cancelIfIntercepted(test, faults.map(\.symbol))
  }

  public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
    // For a suite as a whole, which is over when all of its tests are, and for each case.
    test.isSuite || testCase != nil ? self : nil
  }

  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    guard test.isSuite else { return try await run(test, function) }
    // A suite inside of the suite has the same trait.
    guard tally == nil else { return try await function() }
    let tally = StrikeTally()
    defer {
      for shortfall in mayNotStrike ? [] : tally.shortfallsOfAll {
        Issue.record("in no test of the suite: \(shortfall)", sourceLocation: test.sourceLocation)
      }
    }
    var tallies = Self.tallies
    tallies[ObjectIdentifier(identity)] = tally
    try await Self.$tallies.withValue(tallies) { try await function() }
  }

  private func run(_ test: Test, _ function: @Sendable () async throws -> Void) async throws {
    try await withFaults(faults, reach: reach.kind, mayNotStrike: true) { active in
      defer {
        let shortfalls = active.map(\.shortfall)
        tally?.note(shortfalls)
        let missing = shortfalls.compactMap(\.self)
        // A suite's faults may be for one test each.
        if !mayNotStrike, tally == nil ? !missing.isEmpty : missing.count == active.count {
          for shortfall in missing { record(shortfall, test) }
          attach("faults.txt", to: test) { active.map(\.description).joined(separator: "\n") }
        }
      }
      try await function()
    }
  }

  private func record(_ shortfall: String, _ test: Test) {
    guard tally != nil else {
      Issue.record("\(shortfall)", sourceLocation: test.sourceLocation)
      return
    }
    // Swift 6.2 has no warnings; the suite fails all the same if no test meets the fault.
    #if compiler(>=6.3)
    Issue.record("\(shortfall)", severity: .warning, sourceLocation: test.sourceLocation)
    #endif
  }
}

extension Trait where Self == FailingTrait {
  /// Makes calls of a function fail while the test runs, for its task and the tasks
  /// that it starts, or with another reach.
  ///
  /// ```swift
  /// @Test(.failing("open", errno: ENOENT))
  /// func saysThatTheFileIsMissing() {
  ///   #expect(throws: ConfigurationError.missing) { try loadConfiguration() }
  /// }
  /// ```
  ///
  /// A test in which the fault does not strike, or less often than `onCall` asks, has an issue. It
  /// counts the calls in reach and out of it.
  ///
  /// - Parameters:
  ///   - symbol: The function's name, or `name@VERSION`.
  ///   - result: The call's result.
  ///   - errno: The calls' `errno`; nil leaves it alone. A function that returns the
  ///     error code, such as `pthread_create`, returns this.
  ///   - onCall: Which calls fail: a number or a range, counted from 1, or a ``FaultCalls``.
  ///   - condition: Which calls are looked at, by their arguments or their caller.
  ///   - delay: How long a call that is struck waits first.
  ///   - reach: Which calls are counted and fail.
  ///   - mayNotStrike: Records no issue.
  public static func failing(
    _ symbol: String, returning result: FaultResult = .usual, errno: CInt? = nil,
    onCall: some FaultCallsConvertible = FaultCalls.all, when condition: FaultCondition = .always,
    after delay: Duration = .zero, reach: Reach<AnyBody> = .task, mayNotStrike: Bool = false
  ) -> Self {
    .failing(
      Fault(symbol, returning: result, errno: errno, onCall: onCall, when: condition, after: delay),
      reach: reach, mayNotStrike: mayNotStrike)
  }

  /// Makes one or several faults act while the test runs.
  ///
  /// A test in which one of them does not strike, or less often than `onCall` asks, has an issue.
  ///
  /// - Parameters:
  ///   - fault: The first fault.
  ///   - others: Further faults. If two are of the same function, the last one is asked first about a call,
  ///     and a call that it answers is not counted for an earlier one.
  ///   - reach: Which calls are counted and fail.
  ///   - mayNotStrike: Records no issue.
  public static func failing(
    _ fault: Fault, _ others: Fault..., reach: Reach<AnyBody> = .task, mayNotStrike: Bool = false
  ) -> Self {
    Self(faults: [fault] + others, reach: reach, mayNotStrike: mayNotStrike)
  }
}
#endif
#endif
