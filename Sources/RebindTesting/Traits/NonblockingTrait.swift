#if os(Linux) && !REBIND_ELSEWHERE
// The toolchain has no Testing to link statically.
#if canImport(Testing)
public import Testing

/// Records an issue for each place from which a test blocks a thread of Swift's pool.
///
/// On a suite it holds for each test.
public struct NonblockingTrait: TestTrait, SuiteTrait, TestScoping {
  let threshold: Duration
  let groups: [BlockingGroup]
  let allowances: [BlockingAllowance]
  let threads: BlockingThreads
  let reach: Reach<AnyBody>

  public var isRecursive: Bool { true }

  private func search() throws(RebindTestingError) -> BlockingSearch {
    try BlockingSearch(over: threshold, including: groups, allowing: allowances, on: threads)
  }

  /// Cancels the test where a sanitizer defines one of the functions.
  public func prepare(for test: Test) async throws {
    // A mistake in what is allowed is left to the scope.
    guard let search = try? search() else { return }
    try cancelIfIntercepted(test, search.functions.map(\.name))
  }

  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    try await findBlockingCalls(search(), reach: reach.kind) { read in
      defer { report(read(), test) }
      try await function()
    }
  }

  private func report(_ calls: BlockingCalls, _ test: Test) {
    for site in calls.sites {
      Issue.record("\(site)", sourceLocation: test.sourceLocation)
    }
    if calls.callsWithoutSite > 0 {
      Issue.record(
        "\(calls.callsWithoutSite) calls that may block could not be looked at in full",
        sourceLocation: test.sourceLocation)
    }
    if calls.calls > 0 { attach("blocking.txt", to: test) { "\(calls)" } }
  }
}

extension Trait where Self == NonblockingTrait {
  /// Lets the test, and the tasks that it starts, block no thread of Swift's pool.
  ///
  /// ```swift
  /// @Test(.nonblocking)
  /// func loadsWithoutWaiting() throws { try loadConfiguration() }
  /// ```
  ///
  /// See <doc:TestingForBlockingCalls>.
  public static var nonblocking: Self { nonblocking() }

  /// The test may block threads of Swift's pool only in the ways that are allowed here.
  ///
  /// ```swift
  /// @Test(
  ///   .nonblocking(
  ///     over: .milliseconds(5), including: [.locks],
  ///     allowing: [.files, .calls(of: "waitpid"), .callers(in: "libsqlite3.so.0")]))
  /// func loadsFromADatabase() throws { try loadConfiguration() }
  /// ```
  ///
  /// - Parameters:
  ///   - threshold: How long a call may take.
  ///   - groups: Groups of functions to look at beside the usual ones.
  ///   - allowances: Calls that may block.
  ///   - threads: The threads that are looked at.
  ///   - reach: Whose calls are looked at.
  public static func nonblocking(
    over threshold: Duration = .milliseconds(1), including groups: [BlockingGroup] = [],
    allowing allowances: [BlockingAllowance] = [], on threads: BlockingThreads = .pool,
    reach: Reach<AnyBody> = .task
  ) -> Self {
    Self(
      threshold: threshold, groups: groups, allowances: allowances, threads: threads, reach: reach)
  }
}
#endif
#endif
