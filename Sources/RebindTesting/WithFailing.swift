/// Runs `body` while calls of a function fail, without reaching it.
///
/// ```swift
/// try withFailing("open", errno: ENOENT) {
///   #expect(throws: ConfigurationError.missing) { try loadConfiguration() }
/// }
/// ```
///
/// The function's type does not matter: its arguments are not looked at. Where one
/// call is to fail, the others reach the original. For malloc and its relatives,
/// calls of Swift's runtime, libdispatch, Foundation, the testing libraries and the
/// C++ library are neither counted nor made to fail, because these cannot go on
/// without memory; in a program that is linked with the static standard library they
/// cannot be told apart.
///
/// - Parameters:
///   - symbol: The function's name, or `name@VERSION`.
///   - result: What the calls return; unless told otherwise NULL or -1, as
///     `FaultResult.usual` says. `nil` is NULL.
///   - errno: What the calls set `errno` to; nil leaves it alone.
///   - onCall: The one call that fails, counted from 1; nil for all.
///   - reach: Which calls are counted and fail.
///   - body: Its result and its errors are passed on.
/// - Precondition: `onCall` is at least 1.
/// - Throws: `RebindTestingError`, before `body` is called, and what `body` throws.
@discardableResult
@_disfavoredOverload  // The form for `async` bodies is meant where one can await.
public func withFailing<Return>(
  _ symbol: String, returning result: FaultResult = .usual, errno: CInt? = nil, onCall: Int? = nil,
  reach: RebindingReach = .task, body: () throws -> Return
) throws -> Return {
  let fault = Fault(of: symbol, result: result, error: errno, onCall: onCall)
  return try withInterceptions(
    [Interception(symbol: symbol, kind: .fault(fault))], reach: reach, body)
}

/// Runs `body`, which may suspend, while calls of a function fail.
///
/// See ``withFailing(_:returning:errno:onCall:reach:body:)``.
@discardableResult
nonisolated(nonsending) public func withFailing<Return>(
  _ symbol: String, returning result: FaultResult = .usual, errno: CInt? = nil, onCall: Int? = nil,
  reach: RebindingReach = .task, body: nonisolated(nonsending) () async throws -> Return
) async throws -> Return {
  let fault = Fault(of: symbol, result: result, error: errno, onCall: onCall)
  return try await withInterceptions(
    [Interception(symbol: symbol, kind: .fault(fault))], reach: reach, body)
}
