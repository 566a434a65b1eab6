#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A time of day, as the three functions of C tell it.
struct FrozenTime {
  private let time: timespec

  init(_ sinceEpoch: Duration) {
    // Rounded down, so that the nanoseconds are never negative.
    var (seconds, attoseconds) = sinceEpoch.components
    if attoseconds < 0 {
      seconds -= 1
      attoseconds += 1_000_000_000_000_000_000
    }
    time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
  }

  func interceptions() throws(RebindTestingError) -> [Interception] {
    let time = time
    var interceptions = [
      try Interception.handler(of: "time") {
        (_, result: UnsafeMutablePointer<time_t>?) -> time_t in
        result?.pointee = time.tv_sec
        return time.tv_sec
      },
      try Interception.handler(of: "gettimeofday") {
        (_, result: UnsafeMutablePointer<timeval>?, _: UnsafeMutableRawPointer?) -> CInt in
        result?.pointee = timeval(
          tv_sec: time.tv_sec, tv_usec: suseconds_t(time.tv_nsec / 1000))
        return 0
      },
      try Interception.handler(of: "clock_gettime") {
        (original, clock: clockid_t, result: UnsafeMutablePointer<timespec>?) -> CInt in
        guard clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE, let result else {
          return original(clock, result)
        }
        result.pointee = time
        return 0
      },
    ]
    for index in interceptions.indices { interceptions[index].mayBeUncalled = true }
    return interceptions
  }
}
