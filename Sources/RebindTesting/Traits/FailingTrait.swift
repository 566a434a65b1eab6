// The toolchain has no Testing to link statically.
#if canImport(Testing)
public import Testing

/// Makes a function's calls fail while a test runs.
///
/// On a suite it holds for each of its tests, which are counted apart.
public struct FailingTrait: TestTrait, SuiteTrait, TestScoping {
  let symbol: String
  let result: FaultResult
  let error: CInt?
  let onCall: Int?

  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withFailing(symbol, returning: result, errno: error, onCall: onCall) {
      try await function()
    }
  }
}

extension Trait where Self == FailingTrait {
  /// Makes calls of a function fail while the test runs, for its task and the tasks
  /// that it starts.
  ///
  /// ```swift
  /// @Test(.failing("open", errno: ENOENT))
  /// func saysThatTheFileIsMissing() {
  ///   #expect(throws: ConfigurationError.missing) { try loadConfiguration() }
  /// }
  /// ```
  ///
  /// See ``withFailing(_:returning:errno:onCall:reach:body:)`` for the parameters.
  public static func failing(
    _ symbol: String, returning result: FaultResult = .usual, errno: CInt? = nil,
    onCall: Int? = nil
  ) -> Self {
    Self(symbol: symbol, result: result, error: errno, onCall: onCall)
  }
}
#endif
