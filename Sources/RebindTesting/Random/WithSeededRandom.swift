#if os(Linux) && !REBIND_ELSEWHERE
/// Runs `body`, whose random numbers are the same each time.
///
/// Code that draws through the C library or the kernel gets the seed's numbers: by `Int.random(in:)`, `shuffled()`,
/// `UUID()`, `rand`, `drand48`, `arc4random`, `getrandom` or `/dev/urandom`, for example. Each task that the
/// body starts has numbers of its own, which depend on its place among its creator's tasks. So they are the
/// same though tasks draw at the same time. See <doc:TestingWithRandomNumbers>.
///
/// ```swift
/// let order = try withSeededRandom(7) { [1, 2, 3, 4].shuffled() }
/// ```
///
/// Keys and passwords that are made meanwhile can be predicted.
///
/// - Parameters:
///   - seed: Any number. Another one gives other random numbers.
///   - body: Its result and its errors are passed on.
/// - Throws: `RebindTestingError`, before `body` is called, and what `body` throws.
@discardableResult
@_disfavoredOverload  // The form for `async` bodies is meant where one can await.
public func withSeededRandom<Return>(
  _ seed: UInt64, body: () throws -> Return
) throws -> Return {
  try withInterceptions(SeededRandom.interceptions(seed), reach: .task, body)
}

/// Runs `body`, which may suspend and whose random numbers are the same each time.
///
/// See ``withSeededRandom(_:body:)``.
@discardableResult
nonisolated(nonsending) public func withSeededRandom<Return>(
  _ seed: UInt64, body: nonisolated(nonsending) () async throws -> Return
) async throws -> Return {
  try await withInterceptions(SeededRandom.interceptions(seed), reach: .task, body)
}
#endif
