import Foundation
import RebindTesting
import Synchronization
import TestSupport

/// The trait that gives a test a seed.
@Suite(.measured, .unlessSanitized) struct SeededRandomTraitTests {
  @Test(.seededRandom(42)) func aTestHasItsSeed() async throws {
    let numbers = await family()
    let again = try await withSeededRandom(42) { await family() }
    #expect(numbers == again)
  }

  @Suite(.seededRandom(42)) struct OfASuite {
    @Test(arguments: 0..<3) func hasItsSeed(number: Int) throws {
      let drawn = Int.random(in: 0...1_000_000)
      let again = try withSeededRandom(42) { Int.random(in: 0...1_000_000) }
      #expect(drawn == again)
    }
  }

  @Test(.issueSays("set REBIND_SEED="), .seededRandom) func anIssueHasTheSeed() {
    Issue.record("wrong for some seed")
  }

  @Test(.issueSays("set REBIND_SEED="), .seededRandom) func anErrorHasTheSeed() throws {
    throw Planted()
  }

  @Test(.issueSays("1 task that was not seen to begin drew in the order"), .seededRandom(1))
  func anIssueTellsOfOthers() async {
    await withTaskExecutorPreference(ThreadExecutor()) {
      async let number = Int.random(in: 0...100)
      _ = await number
    }
    Issue.record("wrong")
  }

  @Test func theSeedOfTheEnvironment() async {
    await #expect(processExitsWith: .success) {
      setenv("REBIND_SEED", "18446744073709551615", 1)
      try #require(try SeededRandom.fresh() == .max)
      setenv("REBIND_SEED", "seven", 1)
      let error = #expect(throws: RebindTestingError.self) { try SeededRandom.fresh() }
      try #require(error?.code == .invalidSeed && "\(error!)".hasSuffix(": seven"))
      unsetenv("REBIND_SEED")
      let seeds = Set(try (0..<10).map { _ in try SeededRandom.fresh() })
      try #require(seeds.count == 10)
    }
  }

  /// The other outcome is seen where the environment is another one.
  @Test func theOrderOfSetsIsKnown() {
    let isSame = ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] != nil
    #expect(SeededRandom.hashingDiffers == !isSame)
  }

  @Test(
    .hasIssue(
      "run SWIFT_DETERMINISTIC_HASHING=1 swift test", severity: .error,
      count: SeededRandom.hashingDiffers ? 1 : 0), .seededRandom(1, hashing: .required))
  func theOrderOfSetsIsRequired() {}
}

/// Runs each job on a thread of its own.
private final class ThreadExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

private struct Planted: Error {}

/// Expects issues, one of which has a comment.
private struct IssueSays: TestTrait, TestScoping {
  let text: String

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let isFound = Mutex(false)
    // A matcher of known issues would see the issue as it was recorded.
    try await IssueHandlingTrait.compactMapIssues { issue in
      if issue.comments.contains(where: { $0.rawValue.contains(text) }) {
        isFound.withLock { $0 = true }
      }
      return nil
    }.provideScope(for: test, testCase: testCase) {
      // An error is recorded outside of all scopes.
      do { try await function() } catch is Planted {}
    }
    #expect(isFound.withLock { $0 }, sourceLocation: test.sourceLocation)
  }
}

extension Trait where Self == IssueSays {
  fileprivate static func issueSays(_ text: String) -> Self { Self(text: text) }
}
