#if os(Linux) && !REBIND_ELSEWHERE
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
/// locks. So calls of malloc, `pthread_mutex_lock` and their kind by Swift's runtime,
/// libdispatch, Foundation, the testing libraries and the C++ library neither fail nor
/// count. In a program that is linked with the static standard library they cannot be
/// told apart.
///
/// A fault that strikes less often than `onCall` asks is an issue of the test, or, outside of Swift
/// Testing, an error.
///
/// - Parameters:
///   - symbol: The function's name, or `name@VERSION`.
///   - result: The call's result.
///   - errno: The calls' `errno`; nil leaves it alone. A function that returns the
///     error code, such as `pthread_create`, returns this.
///   - onCall: Which calls fail: a number or a range, counted from 1, or a ``FaultCalls``.
///   - condition: Which calls are looked at, by their arguments or their caller.
///   - delay: How long a call that is struck waits first.
///   - reach: Which calls are counted and fail.
///   - mayNotStrike: Lets the fault strike less often than asked, or never.
///   - body: Is given the fault, which knows its strikes. Its result and its errors are passed on.
/// - Throws: `RebindTestingError`, before `body` is called, or after it for a fault that does not strike;
///   and what `body` throws.
@discardableResult
@_disfavoredOverload  // The form for `async` bodies is meant where one can await.
public func withFailing<Return, Body>(
  _ symbol: String, returning result: FaultResult = .usual, errno: CInt? = nil,
  onCall: some FaultCallsConvertible = FaultCalls.all, when condition: FaultCondition = .always,
  after delay: Duration = .zero, reach: Reach<Body> = Reach<AnyBody>.task,
  mayNotStrike: Bool = false,
  body: (_ fault: ActiveFault) throws -> Return
) throws -> Return {
  try withFaults(
    [Fault(symbol, returning: result, errno: errno, onCall: onCall, when: condition, after: delay)],
    reach: reach.kind, mayNotStrike: mayNotStrike
  ) { faults in try body(faults[0]) }
}

/// Runs `body` while calls of a function fail, without reaching it.
///
/// See ``withFailing(_:returning:errno:onCall:when:after:reach:mayNotStrike:body:)``.
@discardableResult
@_disfavoredOverload  // The form for `async` bodies is meant where one can await.
public func withFailing<Return, Body>(
  _ symbol: String, returning result: FaultResult = .usual, errno: CInt? = nil,
  onCall: some FaultCallsConvertible = FaultCalls.all, when condition: FaultCondition = .always,
  after delay: Duration = .zero, reach: Reach<Body> = Reach<AnyBody>.task,
  mayNotStrike: Bool = false, body: () throws -> Return
) throws -> Return {
  try withFaults(
    [Fault(symbol, returning: result, errno: errno, onCall: onCall, when: condition, after: delay)],
    reach: reach.kind, mayNotStrike: mayNotStrike
  ) { _ in try body() }
}

/// Runs `body`, which may suspend and is given the fault, while calls of a function fail.
///
/// See ``withFailing(_:returning:errno:onCall:when:after:reach:mayNotStrike:body:)``.
@discardableResult
nonisolated(nonsending) public func withFailing<Return>(
  _ symbol: String, returning result: FaultResult = .usual, errno: CInt? = nil,
  onCall: some FaultCallsConvertible = FaultCalls.all, when condition: FaultCondition = .always,
  after delay: Duration = .zero, reach: Reach<AnyBody> = .task,
  mayNotStrike: Bool = false,
  body: nonisolated(nonsending) (_ fault: ActiveFault) async throws -> Return
) async throws -> Return {
  try await withFaults(
    [Fault(symbol, returning: result, errno: errno, onCall: onCall, when: condition, after: delay)],
    reach: reach.kind, mayNotStrike: mayNotStrike
  ) { faults in try await body(faults[0]) }
}

/// Runs `body`, which may suspend, while calls of a function fail.
///
/// See ``withFailing(_:returning:errno:onCall:when:after:reach:mayNotStrike:body:)``.
@discardableResult
nonisolated(nonsending) public func withFailing<Return>(
  _ symbol: String, returning result: FaultResult = .usual, errno: CInt? = nil,
  onCall: some FaultCallsConvertible = FaultCalls.all, when condition: FaultCondition = .always,
  after delay: Duration = .zero, reach: Reach<AnyBody> = .task,
  mayNotStrike: Bool = false,
  body: nonisolated(nonsending) () async throws -> Return
) async throws -> Return {
  try await withFaults(
    [Fault(symbol, returning: result, errno: errno, onCall: onCall, when: condition, after: delay)],
    reach: reach.kind, mayNotStrike: mayNotStrike
  ) { _ in try await body() }
}

// MARK: - Faults as values

/// Runs `body` while one or several faults act.
///
/// ```swift
/// try withFailing(Fault("open", errno: EMFILE), Fault("socket", errno: EMFILE)) { faults in
///   #expect(throws: ConfigurationError.missing) { try loadConfiguration() }
///   #expect(faults.map(\.strikes) == [1, 1])
/// }
/// ```
///
/// - Parameters:
///   - fault: The first fault.
///   - others: Further faults. If two are of the same function, the last one is asked first about a call, and
///     a call that it answers is not counted for an earlier one.
///   - reach: Which calls are counted and fail.
///   - mayNotStrike: Lets the faults strike less often than asked, or never.
///   - body: Is given the faults, in their order. Its result and its errors are passed on.
/// - Throws: The same errors as ``withFailing(_:returning:errno:onCall:when:after:reach:mayNotStrike:body:)``.
@discardableResult
@_disfavoredOverload  // The form for `async` bodies is meant where one can await.
public func withFailing<Return, Body>(
  _ fault: Fault, _ others: Fault..., reach: Reach<Body> = Reach<AnyBody>.task,
  mayNotStrike: Bool = false,
  body: (_ faults: [ActiveFault]) throws -> Return
) throws -> Return {
  try withFaults([fault] + others, reach: reach.kind, mayNotStrike: mayNotStrike, body)
}

/// Runs `body` while one or several faults act.
///
/// See ``withFailing(_:_:reach:mayNotStrike:body:)``.
@discardableResult
@_disfavoredOverload  // The form for `async` bodies is meant where one can await.
public func withFailing<Return, Body>(
  _ fault: Fault, _ others: Fault..., reach: Reach<Body> = Reach<AnyBody>.task,
  mayNotStrike: Bool = false,
  body: () throws -> Return
) throws -> Return {
  try withFaults([fault] + others, reach: reach.kind, mayNotStrike: mayNotStrike) { _ in
    try body()
  }
}

/// Runs `body`, which may suspend and is given the faults, while one or several act.
///
/// See ``withFailing(_:_:reach:mayNotStrike:body:)``.
@discardableResult
nonisolated(nonsending) public func withFailing<Return>(
  _ fault: Fault, _ others: Fault..., reach: Reach<AnyBody> = .task, mayNotStrike: Bool = false,
  body: nonisolated(nonsending) (_ faults: [ActiveFault]) async throws -> Return
) async throws -> Return {
  try await withFaults(
    [fault] + others, reach: reach.kind, mayNotStrike: mayNotStrike, body)
}

/// Runs `body`, which may suspend, while one or several faults act.
///
/// See ``withFailing(_:_:reach:mayNotStrike:body:)``.
@discardableResult
nonisolated(nonsending) public func withFailing<Return>(
  _ fault: Fault, _ others: Fault..., reach: Reach<AnyBody> = .task, mayNotStrike: Bool = false,
  body: nonisolated(nonsending) () async throws -> Return
) async throws -> Return {
  try await withFaults([fault] + others, reach: reach.kind, mayNotStrike: mayNotStrike) {
    _ in try await body()
  }
}

/// Runs `body`, which is given the faults, while they act.
func withFaults<Return>(
  _ faults: [Fault], reach: ReachKind, mayNotStrike: Bool,
  _ body: ([ActiveFault]) throws -> Return
) throws -> Return {
  try withScopes(faults.map(Interception.init), reach: reach) {
    let active = ActiveFault.all(faults, in: $0)
    let result: Return
    do {
      result = try body(active)
    } catch {
      if !mayNotStrike { for fault in active { _ = fault.recordShortfall() } }
      throw error
    }
    if !mayNotStrike { for fault in active { try fault.reportShortfall() } }
    return result
  }
}

/// The same for a body that may suspend.
nonisolated(nonsending) func withFaults<Return>(
  _ faults: [Fault], reach: ReachKind, mayNotStrike: Bool,
  _ body: nonisolated(nonsending) ([ActiveFault]) async throws -> Return
) async throws -> Return {
  try await withScopes(faults.map(Interception.init), reach: reach) {
    let active = ActiveFault.all(faults, in: $0)
    let result: Return
    do {
      result = try await body(active)
    } catch {
      if !mayNotStrike { for fault in active { _ = fault.recordShortfall() } }
      throw error
    }
    if !mayNotStrike { for fault in active { try fault.reportShortfall() } }
    return result
  }
}
#endif
