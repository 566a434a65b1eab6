#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindTesting

/// Runs `body` once without a fault, then again and again with the 1st, 2nd, … call
/// of a function failing, up to the last.
///
/// ```swift
/// let report = try sweepFaults(in: "open", errno: EMFILE) { try loadConfiguration() }
/// #expect(report.findings.isEmpty, "\(report)")
/// ```
///
/// A *finding* is a run in which `body` crashed, ended the process, took too long, left a
/// file descriptor open, closed one twice, or waited for ever for a lock. So is one that
/// threw although no call failed; a short count (``FaultResult/atMost(_:)``) is no failure. A body
/// that makes no call that could fail is a finding too (``FaultRun/madeNoCall``).
///
/// Each run is a child process made by `fork`, so that `body` may crash, and starts from the same
/// state. Its changes are gone when it returns: let it throw where it finds something wrong,
/// instead of using `#expect` in it. A forked process has only the calling thread, so `body` must
/// not wait for others. When the child is forked, another thread of this process may hold a lock,
/// for instance one of Swift's runtime. No thread releases that lock in the child. So a run that
/// waits for a lock is repeated up to seven times, and one that takes too long is repeated once;
/// ``FaultRun/repetitions`` counts that.
///
/// - Parameters:
///   - symbol: The function's name, or `name@VERSION`.
///   - result: The call's result.
///   - errno: The value that it sets `errno` to; nil leaves it alone.
///   - condition: Which calls are made to fail in turn.
///   - delay: How long the failing call waits first.
///   - limit: At how many calls to stop, one at least.
///   - timeLimit: How long a run may take, by `ContinuousClock`.
///   - body: The code under test. Its calls are counted on this thread; for malloc
///     and its relatives see ``withFailing(_:returning:errno:onCall:when:after:reach:mayNotStrike:body:)``.
/// - Throws: `RebindTestingError` if the function cannot be rebound, or if no process
///   can be started.
public func sweepFaults(
  in symbol: String, returning result: FaultResult = .usual, errno: CInt? = nil,
  when condition: FaultCondition = .always, after delay: Duration = .zero, limit: Int = 1000,
  timeLimit: Duration = .seconds(10), body: () throws -> Void
) throws -> FaultSweepReport {
  try sweepFaults(
    Fault(symbol, returning: result, errno: errno, when: condition, after: delay), limit: limit,
    timeLimit: timeLimit, body: body)
}

/// Sweeps one or several faults, one after the other: each strikes each call of its function in turn.
///
/// See ``sweepFaults(in:returning:errno:when:after:limit:timeLimit:body:)``.
///
/// - Parameters:
///   - fault: The first fault. A sweep chooses the calls, so no fault of it states `onCall`.
///   - others: Further ones.
///   - limit: At how many calls of each function to stop, one at least.
///   - timeLimit: How long a run may take, by `ContinuousClock`.
///   - body: The code under test.
/// - Throws: The same errors, and `invalidFault` for a fault that states `onCall`.
public func sweepFaults(
  _ fault: Fault, _ others: Fault..., limit: Int = 1000, timeLimit: Duration = .seconds(10),
  body: () throws -> Void
) throws -> FaultSweepReport {
  let faults = [fault] + others
  for fault in faults where fault.calls != .all {
    throw RebindTestingError(
      code: .invalidFault, symbol: fault.symbol,
      detail:
        "a sweep fails each call in turn, and the fault states \(fault.calls): leave onCall out")
  }
  var report = FaultSweepReport(faults: faults)
  for fault in faults {
    let (runs, isComplete) = try sweep(fault, limit: limit, timeLimit: timeLimit, body)
    report.runs += runs
    report.isComplete = report.isComplete && isComplete
  }
  return report
}

private func sweep(
  _ fault: Fault, limit: Int, timeLimit: Duration, _ body: () throws -> Void
) throws -> (runs: [FaultRun], isComplete: Bool) {
  let symbol = fault.symbol
  let group = try ScopeGroup([Interception(fault)], reach: .thread)
  defer { group.end() }
  let scope: OpaquePointer = group.scopes[0].pointer
  // Younger, so that it sees calls that fail too. A sanitizer may have close for itself.
  let closeWatch = try? ScopeGroup([.closeWatch], reach: .thread)
  defer { closeWatch?.end() }

  /// Fails one call, or with nil none.
  func run(call: Int?) throws -> (run: FaultRun, calls: Int?) {
    // No run makes so many calls.
    let number = call.map(UInt64.init) ?? .max
    crebind_testing_fault_reset(scope, number, number)
    var repetitions = 0
    var ended = try SweepProcess.run(of: symbol, scope: scope, timeLimit: timeLimit, body)
    // The code under test waits in each attempt, and a child for another thread's lock in some.
    while ended.outcome == .deadlocked && repetitions < 7
      || ended.outcome == .timedOut && repetitions == 0
    {
      repetitions += 1
      ended = try SweepProcess.run(of: symbol, scope: scope, timeLimit: timeLimit, body)
    }
    let run = FaultRun(
      fault: fault, call: call, outcome: ended.outcome, leaks: ended.leaks,
      closedTwice: ended.closedTwice,
      repetitions: repetitions,
      madeNoCall: call == nil && ended.calls == 0 && ended.outcome == .returned,
      mayThrow: call != nil && !fault.isHarmless)
    return (run, ended.calls)
  }

  let (faultless, expectedCalls) = try run(call: nil)
  var runs = [faultless]
  for call in 1...max(limit, 1) {
    let (run, calls) = try run(call: call)
    // A run that did not return has not told whether it came to the call.
    guard calls ?? expectedCalls ?? 0 >= call else {
      return (runs, expectedCalls != nil)
    }
    runs.append(run)
  }
  return (runs, expectedCalls == limit)
}
#endif
