#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindTesting

/// A time of day, as the functions of C tell it.
struct FrozenTime {
  let seconds, nanoseconds: Int64

  init(_ sinceEpoch: Duration) {
    // Rounded down, so that the nanoseconds are never negative.
    var (seconds, attoseconds) = sinceEpoch.components
    if attoseconds < 0 {
      seconds -= 1
      attoseconds += 1_000_000_000_000_000_000
    }
    (self.seconds, nanoseconds) = (seconds, attoseconds / 1_000_000_000)
  }

  func interceptions() -> [Interception] {
    let names = Interception.functions(crebind_testing_frozen_function)
    return [Interception(symbols: names, kind: .frozenTime(self), mayBeUncalled: true)]
  }
}
#endif
