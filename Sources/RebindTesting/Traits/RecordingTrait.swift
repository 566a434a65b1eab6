#if os(Linux) && !REBIND_ELSEWHERE
// The toolchain has no Testing to link statically.
#if canImport(Testing)
internal import Synchronization
public import Testing

/// Records the calls that a test makes, and attaches them to a test that fails.
///
/// On a suite it gives each test a recording of its own.
public struct RecordingTrait: TestTrait, SuiteTrait, TestScoping {
  let functions: [String]
  let reach: Reach<AnyBody>

  public var isRecursive: Bool { true }

  /// Cancels the test where a sanitizer defines a function.
  public func prepare(for test: Test) async throws {
    try cancelIfIntercepted(test, functions)
  }

  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    let recording = CallRecording()
    let hasFailed = Atomic(false)
    let watch = IssueHandlingTrait.compactMapIssues { issue in
      hasFailed.store(true, ordering: .relaxed)
      return issue
    }
    defer {
      if hasFailed.load(ordering: .relaxed) { attach("calls.txt", to: test) { "\(recording)" } }
    }
    do {
      try await watch.provideScope(for: test, testCase: testCase) {
        try await CallRecording.$ofTask.withValue(recording) {
          try await withInterceptions(
            recording.interceptions(of: functions), reach: reach.kind
          ) {
            try await function()
          }
        }
      }
    } catch {
      hasFailed.store(true, ordering: .relaxed)
      throw error
    }
  }
}

extension Trait where Self == RecordingTrait {
  /// Records the calls of some functions that the test and the tasks that it starts
  /// make; ``CallRecording/current`` has them.
  ///
  /// ```swift
  /// @Test(.recordingCalls("open", "close"))
  /// func closesWhatItOpens() throws {
  ///   try loadConfiguration()
  ///   let recording = try #require(CallRecording.current)
  ///   #expect(recording.calls(of: "open").count == recording.calls(of: "close").count)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - functions: The functions' names, or `name@VERSION`.
  ///   - reach: Which calls are recorded.
  public static func recordingCalls(
    _ functions: String..., reach: Reach<AnyBody> = .task
  ) -> Self {
    Self(functions: functions, reach: reach)
  }
}
#endif
#endif
