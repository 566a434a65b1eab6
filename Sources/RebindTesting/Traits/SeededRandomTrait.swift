#if os(Linux) && !REBIND_ELSEWHERE
// The toolchain has no Testing to link statically.
#if canImport(Testing)
internal import CRebindTesting
public import Testing

/// Gives a test the same random numbers in each run.
///
/// On a suite it holds for each test, which has the numbers that it would have alone.
public struct SeededRandomTrait: TestTrait, SuiteTrait, TestScoping {
  /// Whether a test needs the order of sets and dictionaries, which a seed of the process decides.
  public enum Hashing: Sendable {
    /// The order may differ between two runs.
    case optional
    /// The order has to be the same in each run: otherwise the test has an issue, which says how to get it.
    case required
  }

  /// Nil for a fresh one in each run.
  let seed: UInt64?
  let hashing: Hashing

  public var isRecursive: Bool { true }

  /// Cancels the test where a sanitizer defines one of the functions.
  public func prepare(for test: Test) async throws {
    try cancelIfIntercepted(test, SeededRandom.functions)
  }

  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    if hashing == .required && SeededRandom.hashingDiffers {
      Issue.record(
        "sets and dictionaries have another order in each run: run SWIFT_DETERMINISTIC_HASHING=1 swift test",
        sourceLocation: test.sourceLocation)
    }
    let number = try seed ?? SeededRandom.fresh()
    try await withScopes(SeededRandom.interceptions(number), reach: .task) { scopes in
      try await IssueHandlingTrait.compactMapIssues { issue in
        var issue = issue
        issue.comments += notes(on: scopes[0], number)
        return issue
      }.provideScope(for: test, testCase: testCase) {
        do {
          try await function()
        } catch {
          // Errors are recorded later, where nothing can be added to them. A failed requirement has been.
          if !(error is ExpectationFailedError), !notes(on: scopes[0], number).isEmpty {
            Issue.record(
              "the error came with these random numbers", severity: .warning,
              sourceLocation: test.sourceLocation)
          }
          throw error
        }
      }
    }
  }

  /// Lines for somebody who repeats an issue.
  private func notes(on scope: ActiveScope, _ number: UInt64) -> [Comment] {
    var notes: [Comment] = []
    if seed == nil {
      notes.append("seed \(number): set REBIND_SEED=\(number) to have these numbers again")
    }
    let count = crebind_testing_unordered_tasks(scope.pointer)
    if count > 0 {
      let tasks = count == 1 ? "1 task that was" : "\(count) tasks that were"
      notes.append("\(tasks) not seen to begin drew in the order in which they came")
    }
    return notes
  }
}

extension Trait where Self == SeededRandomTrait {
  /// Gives the test other random numbers in each run, which its issues tell how to repeat.
  ///
  /// ```swift
  /// @Test(.seededRandom)
  /// func sortsAll() { #expect((0..<100).shuffled().sorted() == Array(0..<100)) }
  /// ```
  ///
  /// An issue has the seed, and with the environment's `REBIND_SEED` the next run has that one. See
  /// ``seededRandom(_:hashing:)``.
  public static var seededRandom: Self { Self(seed: nil, hashing: .optional) }

  /// Gives the test, and the tasks that it starts, the random numbers of a seed.
  ///
  /// ```swift
  /// @Test(.seededRandom(42))
  /// func sortsThese() { #expect((0..<100).shuffled().sorted() == Array(0..<100)) }
  /// ```
  ///
  /// See <doc:TestingWithRandomNumbers>.
  ///
  /// - Parameters:
  ///   - seed: Any number.
  ///   - hashing: Whether the test needs sets and dictionaries to have the same order in each run.
  public static func seededRandom(
    _ seed: UInt64, hashing: SeededRandomTrait.Hashing = .optional
  ) -> Self {
    Self(seed: seed, hashing: hashing)
  }
}
#endif
#endif
