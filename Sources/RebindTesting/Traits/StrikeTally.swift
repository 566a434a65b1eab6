#if os(Linux) && !REBIND_ELSEWHERE
internal import Synchronization

/// In which tests of a suite the faults of a trait have struck.
final class StrikeTally: Sendable {
  /// For each fault the shortfall in the first test; nil once the fault has struck.
  private let shortfalls = Mutex<[String?]>([])

  /// A test is over. For each fault that did not strike in it, the argument has the reason.
  func note(_ ofTest: [String?]) {
    shortfalls.withLock { known in
      known = known.isEmpty ? ofTest : zip(known, ofTest).map { $1 == nil ? nil : $0 }
    }
  }

  /// The reasons of the faults that have struck in no test; empty if all have struck, or if no test ran.
  var shortfallsOfAll: [String] { shortfalls.withLock { $0.compactMap(\.self) } }
}
#endif
