#if os(Linux) && !REBIND_ELSEWHERE
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Runs `body` while the wall clock stands still.
///
/// `time`, `gettimeofday`, `clock_gettime` and `timespec_get` give the same time at every
/// call, so Foundation's `Date()` does as well. So does CLOCK_TAI, ahead by its leap
/// seconds. Clocks that tell no time of day, such as the monotonic one that time limits
/// and `ContinuousClock` use, go on. The kernel's clock goes on: a wait until a time of
/// day (`Condition.wait(until:)`) ends at once or much too late.
///
/// - Parameters:
///   - time: The time since 1970-01-01 00:00 UTC.
///   - reach: Which calls see it.
///   - body: Its result and its errors are passed on.
/// - Throws: `RebindTestingError`, before `body` is called, and what `body` throws.
@discardableResult
@_disfavoredOverload  // The form for `async` bodies is meant where one can await.
public func withFrozenTime<Return, Body>(
  _ time: Duration, reach: Reach<Body> = Reach<AnyBody>.task, body: () throws -> Return
) throws -> Return {
  try withInterceptions(FrozenTime(time).interceptions(), reach: reach.kind, body)
}

/// Runs `body`, which may suspend, while the wall clock stands still.
///
/// See ``withFrozenTime(_:reach:body:)``.
@discardableResult
nonisolated(nonsending) public func withFrozenTime<Return>(
  _ time: Duration, reach: Reach<AnyBody> = .task,
  body: nonisolated(nonsending) () async throws -> Return
) async throws -> Return {
  try await withInterceptions(FrozenTime(time).interceptions(), reach: reach.kind, body)
}
#endif
