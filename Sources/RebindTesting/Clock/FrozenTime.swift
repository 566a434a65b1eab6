#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A time of day, as the functions of C tell it.
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

  /// True for the clocks that tell the time of day. CLOCK_TAI is ahead of the others by the leap
  /// seconds so far.
  private static func tellsTime(_ clock: clockid_t) -> Bool {
    [CLOCK_REALTIME, CLOCK_REALTIME_COARSE, CLOCK_TAI].contains(clock)
  }

  /// By how much CLOCK_TAI is ahead, as far as the system knows.
  private static func leapSeconds(
    _ original: OriginalFunction<CInt, clockid_t, UnsafeMutablePointer<timespec>?>
  ) -> Int {
    func seconds(_ clock: clockid_t) -> Double? {
      var time = timespec()
      let status = withUnsafeMutablePointer(to: &time) { original(clock, $0) }
      return status == 0 ? Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 : nil
    }
    guard let atomic = seconds(CLOCK_TAI), let universal = seconds(CLOCK_REALTIME) else { return 0 }
    // The clocks are read one after the other.
    return Int((atomic - universal).rounded())
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
        guard let result, Self.tellsTime(clock) else { return original(clock, result) }
        original.scope.noteCallOfTask()
        result.pointee = time
        if clock == CLOCK_TAI { result.pointee.tv_sec += Self.leapSeconds(original) }
        return 0
      },
      try Interception.handler(of: "timespec_get") {
        (original, result: UnsafeMutablePointer<timespec>?, base: CInt) -> CInt in
        guard let result, base == TIME_UTC else { return original(result, base) }
        result.pointee = time
        return base
      },
    ]
    for index in interceptions.indices {
      interceptions[index].mayBeUncalled = true
      // Tests are timed by other clocks, which go on.
      interceptions[index].notesOtherTests = interceptions[index].symbol == "clock_gettime"
    }
    return interceptions
  }
}
