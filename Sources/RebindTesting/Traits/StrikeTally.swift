internal import Synchronization

/// In which tests of a suite a trait's fault has struck.
final class StrikeTally: Sendable {
  private struct State {
    var hasStruck = false
    /// The shortfall of the first test in which the fault did not strike.
    var shortfall: String?
  }

  private let state = Mutex(State())

  /// A test is over, in which the fault has struck, or not for this reason.
  func note(_ shortfall: String?) {
    state.withLock { state in
      state.hasStruck = state.hasStruck || shortfall == nil
      state.shortfall = state.shortfall ?? shortfall
    }
  }

  /// Why it has struck in no test; nil if it has, or no test ran.
  var shortfallOfAll: String? {
    state.withLock { $0.hasStruck ? nil : $0.shortfall }
  }
}
