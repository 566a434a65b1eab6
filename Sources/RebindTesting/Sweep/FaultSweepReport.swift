/// The findings of a sweep, run by run.
public struct FaultSweepReport: Sendable, Hashable {
  /// The function whose calls failed.
  public let symbol: String

  /// The run without a fault first, then one for each call.
  public let runs: [FaultRun]

  /// False if there were more calls than the sweep was to make fail, or nobody knows how
  /// many, because the run without a fault did not return.
  public let isComplete: Bool

  /// The runs in which the code under test did what it should not, or made no call at all.
  public var findings: [FaultRun] { runs.filter(\.isFinding) }
}

extension FaultSweepReport: CustomStringConvertible {
  public var description: String {
    let calls = runs.count { $0.call != nil }
    let heading =
      "\(symbol) failed at \(calls) \(calls == 1 ? "call" : "calls") in turn"
      + "\(isComplete ? "" : ", and there may be more"): "
      + "\(findings.count) \(findings.count == 1 ? "finding" : "findings")"
    return ([heading] + findings.map(\.description)).joined(separator: "\n")
  }
}
