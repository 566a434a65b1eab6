#if os(Linux) && !REBIND_ELSEWHERE
/// Runs `body`, and finds the calls that block threads of Swift's pool meanwhile.
///
/// The pool has one thread for each core. A task that blocks one keeps all others from running there, and with
/// some of them nothing goes on. A call blocks if its thread slept and that took longer than `threshold`; functions that
/// are there to sleep count by their name. See <doc:TestingForBlockingCalls>.
///
/// ```swift
/// let calls = try await findingBlockingCalls(reach: .process) { try loadConfiguration() }
/// print(calls)
/// ```
///
/// - Parameters:
///   - threshold: How long a call may take.
///   - groups: Groups of functions to look at beside the usual ones.
///   - allowances: Calls that may block.
///   - threads: The threads that are looked at.
///   - reach: Whose calls are looked at.
///   - body: Its errors are passed on.
/// - Throws: `RebindTestingError`, before `body` is called, and what `body` throws.
nonisolated(nonsending) public func findingBlockingCalls(
  over threshold: Duration = .milliseconds(1), including groups: [BlockingGroup] = [],
  allowing allowances: [BlockingAllowance] = [], on threads: BlockingThreads = .pool,
  reach: Reach<AnyBody> = .task, body: nonisolated(nonsending) () async throws -> Void
) async throws -> BlockingCalls {
  let search = try BlockingSearch(
    over: threshold, including: groups, allowing: allowances, on: threads)
  return try await findBlockingCalls(search, reach: reach.kind) { read in
    try await body()
    return read()
  }
}

/// Runs `body`, which is given a function that reads what was found so far.
nonisolated(nonsending) func findBlockingCalls<Return>(
  _ search: BlockingSearch, reach: ReachKind,
  _ body: nonisolated(nonsending) (_ read: () -> BlockingCalls) async throws -> Return
) async throws -> Return {
  try await SwiftJobs.followTask()
  return try await withScopes([search.interception()], reach: reach) { scopes in
    try await body { withOriginals { BlockingCalls(of: scopes[0], search) } }
  }
}
#endif
