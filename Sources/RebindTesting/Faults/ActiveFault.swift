#if os(Linux) && !REBIND_ELSEWHERE
// The toolchain has no Testing to link statically.
#if canImport(Testing)
internal import Testing
#endif

/// A fault while it acts: how often it has struck so far.
public struct ActiveFault: Sendable {
  let scope: ActiveScope
  /// The fault.
  public let fault: Fault
  /// True if several faults began together: a message names this one by all that it states.
  private let isOneOfSeveral: Bool

  /// The faults that act in some scopes, in the same order.
  static func all(_ faults: [Fault], in scopes: [ActiveScope]) -> [ActiveFault] {
    zip(scopes, faults).map {
      ActiveFault(scope: $0, fault: $1, isOneOfSeveral: faults.count > 1)
    }
  }

  private var calls: FaultCalls { fault.calls }

  /// The function's name.
  public var symbol: String { fault.symbol }

  /// How many calls have failed.
  public var strikes: Int { counts.struck }

  /// The function's calls, struck or not.
  public var counts: CallCounts { scope.counts }

  /// Why the fault has struck less often than asked, as a sentence; nil if it has not.
  public var shortfall: String? {
    let counts = counts
    guard counts.struck < calls.expectedStrikes else { return nil }
    let name = isOneOfSeveral ? "\(fault)" : "the fault of \(symbol)"
    return "\(name) struck \(counts.struck) of "
      + "\(calls.expectedStrikes) \(calls.expectedStrikes == 1 ? "time" : "times") (\(calls)): "
      + "\(counts); \(reason(of: counts))"
  }

  /// Records an issue if the fault has struck less often than asked; false outside of a test of Swift
  /// Testing.
  func recordShortfall() -> Bool {
    #if canImport(Testing)
    guard let test = Test.current else { return false }
    if let shortfall { Issue.record("\(shortfall)", sourceLocation: test.sourceLocation) }
    return true
    #else
    return false
    #endif
  }

  /// Records an issue, or outside of a test throws an error, if the fault has struck less often than asked.
  func reportShortfall() throws(RebindTestingError) {
    guard let shortfall, !recordShortfall() else { return }
    throw RebindTestingError(code: .notStruck, symbol: symbol, detail: shortfall)
  }

  private func reason(of counts: CallCounts) -> String {
    let others =
      counts.outOfReach == 0
      ? nil
      : "\(counts.outOfReach == 1 ? "1 call" : "\(counts.outOfReach) calls") on other threads or "
        + "detached tasks: use reach: .process"
    if counts.inReach > 0 {
      return [reasonInReach(of: counts), others].compactMap(\.self).joined(separator: "; ")
    }
    if let others { return others }
    if counts.spared > 0 { return "only Swift's runtime and libraries call it" }
    // Images have slots for it, or the fault had been refused.
    return "the code under test did not call \(symbol): it may use another function"
  }

  /// Of calls that the fault reaches.
  private func reasonInReach(of counts: CallCounts) -> String {
    // Those that fulfil the condition, and that nothing younger has answered.
    let offered = scope.faultCalls
    if fault.condition != .always && offered < counts.inReach {
      return "too few of the calls in reach fulfil the condition"
    }
    if offered < counts.inReach {
      let taken = counts.inReach - offered
      return "\(taken == 1 ? "1 call" : "\(taken) calls") went to a handler or fault inside of it"
    }
    return calls.isByChance
      ? "chance chose too few of the calls" : "the code under test makes too few calls"
  }
}

extension ActiveFault: CustomStringConvertible {
  /// `Fault(open fails with ENOENT): 3 calls in reach, 1 struck, 2 out of reach`.
  public var description: String { "\(fault): \(counts)" }
}
#endif
