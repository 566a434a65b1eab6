#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindTesting

/// The calls of a function since a fault, handler or recording of it began.
///
/// Calls that handlers make, and that an original makes of its own function, are not counted.
public struct CallCounts: Sendable, Hashable {
  /// The calls that it reaches.
  public let inReach: Int
  /// The calls of other tasks or threads, those of other tests included.
  public let outOfReach: Int
  /// The calls in reach that failed, that the handler was called for, or that were recorded.
  public let struck: Int
  /// The calls of Swift's runtime and the testing libraries, which faults leave alone.
  public let spared: Int

  /// The counts of the youngest fault, handler or recording of a function that reaches the calling
  /// code; nil if none does.
  ///
  /// - Parameter symbol: The function's name, as it was given to that.
  public static func current(of symbol: String) -> CallCounts? {
    withOriginals { HookRegistry.shared.counts(of: symbol) }
  }

  init(_ counts: crebind_testing_counts) {
    inReach = Int(counts.in_reach)
    outOfReach = Int(counts.out_of_reach)
    struck = Int(counts.struck)
    spared = Int(counts.spared)
  }
}

extension CallCounts: CustomStringConvertible {
  /// `3 calls in reach, 1 struck, 2 out of reach`.
  public var description: String {
    "\(inReach) \(inReach == 1 ? "call" : "calls") in reach, \(struck) struck, "
      + "\(outOfReach) out of reach"
      + (spared > 0 ? ", \(spared) of Swift's runtime and libraries" : "")
  }
}
#endif
