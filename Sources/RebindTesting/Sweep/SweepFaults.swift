internal import CRebindTesting

/// Runs `body` once without a fault, then again and again with the 1st, 2nd, … call
/// of a function failing, until there is no further call.
///
/// ```swift
/// let report = try sweepFaults(in: "open", errno: EMFILE) { try loadConfiguration() }
/// #expect(report.findings.isEmpty, "\(report)")
/// ```
///
/// A *finding* is a run in which `body` crashed, ended the process, took too long,
/// left a file descriptor open, or threw although no call failed.
///
/// Each run is a child process made by `fork`, so that `body` may crash, and starts
/// from the same state. What it changes is gone when it returns: let it throw where
/// it finds something wrong, instead of using `#expect` in it. A forked process has
/// only the calling thread, so `body` must not wait for others. A run that takes too
/// long is made a second time before it counts, since another thread of this process
/// may have held a lock when it was forked.
///
/// - Parameters:
///   - symbol: The function's name, or `name@VERSION`.
///   - result: What the failing call returns: a number of the function's type, a pointer, a small
///     structure, `nil` for NULL, or a ``FaultResult``.
///   - errno: What it sets `errno` to; nil leaves it alone.
///   - condition: Which calls are made to fail in turn.
///   - delay: How long the failing call waits first.
///   - limit: At how many calls to stop, one at least.
///   - timeLimit: How long a run may take, by `ContinuousClock`.
///   - body: The code under test. Its calls are counted on this thread; for malloc
///     and its relatives see ``withFailing(_:returning:errno:onCall:when:after:reach:body:)``.
/// - Throws: `RebindTestingError` if the function cannot be rebound, or if no process
///   can be started.
public func sweepFaults(
  in symbol: String, returning result: (any FaultValue)? = FaultResult.usual,
  errno: CInt? = nil, when condition: FaultCondition = .always, after delay: Duration = .zero,
  limit: Int = 1000, timeLimit: Duration = .seconds(10), body: () throws -> Void
) throws -> FaultSweepReport {
  let fault = Fault(
    of: symbol, result: result, error: errno, condition: condition, delay: delay)
  let group = try ScopeGroup(
    [Interception(fault)], reach: .thread)
  defer { group.end() }
  let scope: OpaquePointer = group.scopes[0].pointer

  /// Fails one call, or with nil none.
  func run(call: Int?) throws -> (run: FaultRun, calls: Int?) {
    // No run makes so many calls.
    let number = call.map(UInt64.init) ?? .max
    crebind_testing_fault_reset(scope, number, number)
    var ended = try SweepProcess.run(of: symbol, scope: scope, timeLimit: timeLimit, body)
    if ended.outcome == .timedOut {
      ended = try SweepProcess.run(of: symbol, scope: scope, timeLimit: timeLimit, body)
    }
    return (FaultRun(call: call, outcome: ended.outcome, leaks: ended.leaks), ended.calls)
  }

  let (faultless, expectedCalls) = try run(call: nil)
  var runs = [faultless]
  for call in 1...max(limit, 1) {
    let (run, calls) = try run(call: call)
    // A run that did not return has not told whether it came to the call.
    guard calls ?? expectedCalls ?? 0 >= call else {
      return FaultSweepReport(symbol: symbol, runs: runs, isComplete: expectedCalls != nil)
    }
    runs.append(run)
  }
  return FaultSweepReport(symbol: symbol, runs: runs, isComplete: expectedCalls == limit)
}
