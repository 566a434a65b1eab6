/// Runs `body` while calls of a function fail, without reaching it.
///
/// ```swift
/// try withFailing("open", errno: ENOENT) { fault in
///   #expect(throws: ConfigurationError.missing) { try loadConfiguration() }
///   #expect(fault.strikes == 1)
/// }
/// ```
///
/// The function's type matters only for `result`. Swift cannot go on without memory or
/// locks. So of malloc, `pthread_mutex_lock` and their kind, calls by Swift's runtime,
/// libdispatch, Foundation, the testing libraries and the C++ library neither fail nor
/// count. In a program that is linked with the static standard library they cannot be
/// told apart.
///
/// A fault that strikes less often than `onCall` asks is an issue of the test, or, outside of Swift
/// Testing, an error.
///
/// - Parameters:
///   - symbol: The function's name, or `name@VERSION`.
///   - result: The result: a number of the function's type, a pointer, a small
///     structure, `nil` for NULL, or a ``FaultResult``.
///   - errno: The calls' `errno`; nil leaves it alone. A function that returns the
///     error code, such as `pthread_create`, returns this.
///   - onCall: Which calls fail: a number, counted from 1, or a ``FaultCalls``.
///   - condition: Which calls are looked at, by their arguments or their caller.
///   - delay: How long a call that is struck waits first.
///   - reach: Which calls are counted and fail.
///   - mayNotStrike: Lets the fault strike less often than asked, or never.
///   - body: Is given the fault, which knows its strikes. Its result and its errors are passed on.
/// - Throws: `RebindTestingError`, before `body` is called, or after it for a fault that does not strike;
///   and what `body` throws.
@discardableResult
@_disfavoredOverload  // The form for `async` bodies is meant where one can await.
public func withFailing<Return>(
  _ symbol: String, returning result: (any FaultValue)? = FaultResult.usual, errno: CInt? = nil,
  onCall: FaultCalls = .all, when condition: FaultCondition = .always,
  after delay: Duration = .zero, reach: RebindingReach = .task,
  mayNotStrike: Bool = false,
  body: (_ fault: ActiveFault) throws -> Return
) throws -> Return {
  try withFault(
    Fault(
      of: symbol, result: result, error: errno, calls: onCall, condition: condition, delay: delay),
    reach: ScopeReach(reach), mayNotStrike: mayNotStrike
  ) { fault in try body(fault) }
}

/// Runs `body` while calls of a function fail, without reaching it.
///
/// See ``withFailing(_:returning:errno:onCall:when:after:reach:mayNotStrike:body:)``.
@discardableResult
@_disfavoredOverload  // The form for `async` bodies is meant where one can await.
public func withFailing<Return>(
  _ symbol: String, returning result: (any FaultValue)? = FaultResult.usual, errno: CInt? = nil,
  onCall: FaultCalls = .all, when condition: FaultCondition = .always,
  after delay: Duration = .zero, reach: RebindingReach = .task,
  mayNotStrike: Bool = false, body: () throws -> Return
) throws -> Return {
  try withFault(
    Fault(
      of: symbol, result: result, error: errno, calls: onCall, condition: condition, delay: delay),
    reach: ScopeReach(reach), mayNotStrike: mayNotStrike
  ) { _ in try body() }
}

/// Runs `body`, which may suspend and is given the fault, while calls of a function fail.
///
/// See ``withFailing(_:returning:errno:onCall:when:after:reach:mayNotStrike:body:)``.
@discardableResult
nonisolated(nonsending) public func withFailing<Return>(
  _ symbol: String, returning result: (any FaultValue)? = FaultResult.usual, errno: CInt? = nil,
  onCall: FaultCalls = .all, when condition: FaultCondition = .always,
  after delay: Duration = .zero, reach: RebindingReach = .task,
  mayNotStrike: Bool = false,
  body: nonisolated(nonsending) (_ fault: ActiveFault) async throws -> Return
) async throws -> Return {
  try await withFault(
    Fault(
      of: symbol, result: result, error: errno, calls: onCall, condition: condition, delay: delay),
    reach: ScopeReach(reach), mayNotStrike: mayNotStrike
  ) { fault in try await body(fault) }
}

/// Runs `body`, which may suspend, while calls of a function fail.
///
/// See ``withFailing(_:returning:errno:onCall:when:after:reach:mayNotStrike:body:)``.
@discardableResult
nonisolated(nonsending) public func withFailing<Return>(
  _ symbol: String, returning result: (any FaultValue)? = FaultResult.usual, errno: CInt? = nil,
  onCall: FaultCalls = .all, when condition: FaultCondition = .always,
  after delay: Duration = .zero, reach: RebindingReach = .task,
  mayNotStrike: Bool = false,
  body: nonisolated(nonsending) () async throws -> Return
) async throws -> Return {
  try await withFault(
    Fault(
      of: symbol, result: result, error: errno, calls: onCall, condition: condition, delay: delay),
    reach: ScopeReach(reach), mayNotStrike: mayNotStrike
  ) { _ in try await body() }
}

/// Runs `body`, which is given the fault, while the thread's calls of a function fail.
///
/// See ``withFailing(_:returning:errno:onCall:when:after:reach:mayNotStrike:body:)``.
@discardableResult
@_disfavoredOverload  // The form for `async` bodies is meant where one can await.
public func withFailing<Return>(
  _ symbol: String, returning result: (any FaultValue)? = FaultResult.usual, errno: CInt? = nil,
  onCall: FaultCalls = .all, when condition: FaultCondition = .always,
  after delay: Duration = .zero, reach: ThreadReach,
  mayNotStrike: Bool = false, body: (_ fault: ActiveFault) throws -> Return
) throws -> Return {
  try withFault(
    Fault(
      of: symbol, result: result, error: errno, calls: onCall, condition: condition, delay: delay),
    reach: .thread, mayNotStrike: mayNotStrike
  ) { fault in try body(fault) }
}

/// Runs `body` while the thread's calls of a function fail.
///
/// See ``withFailing(_:returning:errno:onCall:when:after:reach:mayNotStrike:body:)``.
@discardableResult
@_disfavoredOverload  // The form for `async` bodies is meant where one can await.
public func withFailing<Return>(
  _ symbol: String, returning result: (any FaultValue)? = FaultResult.usual, errno: CInt? = nil,
  onCall: FaultCalls = .all, when condition: FaultCondition = .always,
  after delay: Duration = .zero, reach: ThreadReach,
  mayNotStrike: Bool = false, body: () throws -> Return
) throws -> Return {
  try withFault(
    Fault(
      of: symbol, result: result, error: errno, calls: onCall, condition: condition, delay: delay),
    reach: .thread, mayNotStrike: mayNotStrike
  ) { _ in try body() }
}

/// Runs `body`, which is given the fault, while it acts.
func withFault<Return>(
  _ fault: Fault, reach: ScopeReach, mayNotStrike: Bool, _ body: (ActiveFault) throws -> Return
) throws -> Return {
  try withScopes([Interception(fault)], reach: reach) {
    let fault = ActiveFault($0[0], fault)
    let result: Return
    do {
      result = try body(fault)
    } catch {
      if !mayNotStrike { _ = fault.recordShortfall() }
      throw error
    }
    if !mayNotStrike { try fault.reportShortfall() }
    return result
  }
}

/// The same for a body that may suspend.
nonisolated(nonsending) func withFault<Return>(
  _ fault: Fault, reach: ScopeReach, mayNotStrike: Bool,
  _ body: nonisolated(nonsending) (ActiveFault) async throws -> Return
) async throws -> Return {
  try await withScopes([Interception(fault)], reach: reach) {
    let fault = ActiveFault($0[0], fault)
    let result: Return
    do {
      result = try await body(fault)
    } catch {
      if !mayNotStrike { _ = fault.recordShortfall() }
      throw error
    }
    if !mayNotStrike { try fault.reportShortfall() }
    return result
  }
}
