// The toolchain has no Testing to link statically.
#if canImport(Testing)
public import Testing

/// Makes a function's calls fail while a test runs, and records an issue where it did not strike.
///
/// On a suite it holds for each of its tests, which are counted apart. A test of the suite in which
/// it does not strike has a warning; if it strikes in none of them, the suite has an issue.
public struct FailingTrait: TestTrait, SuiteTrait, TestScoping {
  let fault: Fault
  let reach: RebindingReach
  let mayNotStrike: Bool
  /// Tells traits apart: a test has its suite's, and suites may share one.
  let identity = Identity()

  final class Identity: Sendable {}

  /// The tallies of the suites that the test is in, by their traits.
  @TaskLocal static var tallies: [ObjectIdentifier: StrikeTally] = [:]

  private var tally: StrikeTally? { Self.tallies[ObjectIdentifier(identity)] }

  public var isRecursive: Bool { true }

  /// Cancels the test where a sanitizer defines the function.
  public func prepare(for test: Test) async throws {
    try cancelIfIntercepted(test, [fault.symbol])
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
      if !mayNotStrike, let shortfall = tally.shortfallOfAll {
        Issue.record("in no test of the suite: \(shortfall)", sourceLocation: test.sourceLocation)
      }
    }
    var tallies = Self.tallies
    tallies[ObjectIdentifier(identity)] = tally
    try await Self.$tallies.withValue(tallies) { try await function() }
  }

  private func run(_ test: Test, _ function: @Sendable () async throws -> Void) async throws {
    try await withFault(fault, reach: ScopeReach(reach), mayNotStrike: true) { active in
      defer {
        let shortfall = active.shortfall
        tally?.note(shortfall)
        if !mayNotStrike, let shortfall {
          if tally == nil {
            Issue.record("\(shortfall)", sourceLocation: test.sourceLocation)
          } else {
            // Swift 6.2 has no warnings; the suite fails all the same if no test meets the fault.
            #if compiler(>=6.3)
            Issue.record(
              "\(shortfall)", severity: .warning, sourceLocation: test.sourceLocation)
            #endif
          }
        }
      }
      try await function()
    }
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
  ///   - result: The result: a number of the function's type, a pointer, a small
  ///     structure, `nil` for NULL, or a ``FaultResult``.
  ///   - errno: The calls' `errno`; nil leaves it alone. A function that returns the
  ///     error code, such as `pthread_create`, returns this.
  ///   - onCall: Which calls fail: a number, counted from 1, or a ``FaultCalls``.
  ///   - condition: Which calls are looked at, by their arguments or their caller.
  ///   - delay: How long a call that is struck waits first.
  ///   - reach: Which calls are counted and fail.
  ///   - mayNotStrike: Records no issue.
  public static func failing(
    _ symbol: String, returning result: (any FaultValue)? = FaultResult.usual,
    errno: CInt? = nil, onCall: FaultCalls = .all, when condition: FaultCondition = .always,
    after delay: Duration = .zero, reach: RebindingReach = .task, mayNotStrike: Bool = false
  ) -> Self {
    Self(
      fault: Fault(
        of: symbol, result: result, error: errno, calls: onCall, condition: condition,
        delay: delay),
      reach: reach, mayNotStrike: mayNotStrike)
  }
}
#endif
