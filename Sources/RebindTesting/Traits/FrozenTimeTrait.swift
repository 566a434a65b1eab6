#if os(Linux) && !REBIND_ELSEWHERE
// The toolchain has no Testing to link statically.
#if canImport(Testing)
public import Testing

/// Makes the wall clock stand still while a test runs.
public struct FrozenTimeTrait: TestTrait, SuiteTrait, TestScoping {
  let time: Duration
  let reach: Reach<AnyBody>

  public var isRecursive: Bool { true }

  /// Cancels the test where a sanitizer defines a clock's function.
  public func prepare(for test: Test) async throws {
    try cancelIfIntercepted(test, FrozenTime(time).interceptions().flatMap(\.symbols))
  }

  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withFrozenTime(time, reach: reach) { try await function() }
  }
}

extension Trait where Self == FrozenTimeTrait {
  /// Makes the wall clock stand still while the test runs, for its task and the tasks
  /// that it starts, or with another reach.
  ///
  /// ```swift
  /// @Test(.frozenTime(.seconds(1_000_000_000)))
  /// func knowsTheDay() { #expect(time(nil) == 1_000_000_000) }
  /// ```
  ///
  /// - Parameters:
  ///   - time: The time since 1970-01-01 00:00 UTC.
  ///   - reach: Which calls see it.
  public static func frozenTime(_ time: Duration, reach: Reach<AnyBody> = .task) -> Self {
    Self(time: time, reach: reach)
  }
}
#endif
#endif
