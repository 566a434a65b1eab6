import RebindTesting
import TestSupport

/// A wall clock that stands still.
@Suite(.measured) struct FrozenTimeTests {
  @Test func allThreeFunctions() throws {
    try withFrozenTime(.milliseconds(1_234_567_890_123)) {
      var day = timeval()
      var precise = timespec()
      var passed: time_t = 0
      #expect(time(&passed) == 1_234_567_890 && passed == 1_234_567_890)
      #expect(gettimeofday(&day, nil) == 0 && day.tv_sec == 1_234_567_890)
      #expect(day.tv_usec == 123_000)
      #expect(clock_gettime(CLOCK_REALTIME, &precise) == 0)
      #expect(precise.tv_sec == 1_234_567_890 && precise.tv_nsec == 123_000_000)
    }
    #expect(time(nil) > 1_234_567_890)
  }

  @Test func timeOfC11() throws {
    try withFrozenTime(.milliseconds(1_234_567_890_123)) {
      var precise = timespec()
      #expect(timespec_get(&precise, TIME_UTC) == TIME_UTC)
      #expect(precise.tv_sec == 1_234_567_890 && precise.tv_nsec == 123_000_000)
    }
  }

  /// Ahead of the others by the same leap seconds as ever.
  @Test func internationalAtomicTime() throws {
    func ahead() -> Int {
      var (atomic, universal) = (timespec(), timespec())
      clock_gettime(CLOCK_TAI, &atomic)
      clock_gettime(CLOCK_REALTIME, &universal)
      // A second may have begun between the two, and then the difference is less by one.
      return atomic.tv_sec - universal.tv_sec
    }
    let expected = try #require((0..<3).map { _ in ahead() }.max())
    try withFrozenTime(.seconds(1_234_567_890)) {
      var precise = timespec()
      #expect(clock_gettime(CLOCK_TAI, &precise) == 0)
      #expect(precise.tv_sec == 1_234_567_890 + expected && precise.tv_nsec == 0)
    }
  }

  @Test func beforeTheEpoch() throws {
    try withFrozenTime(.milliseconds(-1_500)) {
      var precise = timespec()
      clock_gettime(CLOCK_REALTIME, &precise)
      #expect(precise.tv_sec == -2 && precise.tv_nsec == 500_000_000)
    }
  }

  @Test func foundationAndOtherClocks() async throws {
    try await withFrozenTime(.seconds(7)) {
      let start = ContinuousClock.now
      try await Task.sleep(for: .milliseconds(2))
      #expect(ContinuousClock.now - start >= .milliseconds(2))
      #expect(Date().timeIntervalSince1970 == 7)
    }
  }
}
