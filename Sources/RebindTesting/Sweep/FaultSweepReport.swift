/// The findings of a sweep, run by run.
public struct FaultSweepReport: Sendable, Hashable {
  /// The faults, in the order in which they were swept.
  public let faults: [Fault]

  /// For each fault the run without it first, then one for each call.
  public internal(set) var runs: [FaultRun] = []

  /// False if the calls exceeded the sweep's limit, or their number is unknown because
  /// the run without a fault did not return.
  public internal(set) var isComplete = true

  /// The runs in which the code under test did what it should not, or made no call at all.
  public var findings: [FaultRun] { runs.filter(\.isFinding) }
}

extension FaultSweepReport: CustomStringConvertible {
  public var description: String {
    let calls = runs.count { $0.call != nil }
    let symbols = faults.map(\.symbol).joined(separator: ", ")
    let heading =
      "\(symbols) failed at \(calls) \(calls == 1 ? "call" : "calls") in turn"
      + "\(isComplete ? "" : ", and there may be more"): "
      + "\(findings.count) \(findings.count == 1 ? "finding" : "findings")"
    let lines = findings.map { faults.count > 1 ? "\($0.fault), \($0)" : "\($0)" }
    return ([heading] + lines).joined(separator: "\n")
  }
}
