import TestSupport

@testable import RebindTesting

/// Scopes that are on many hooks, and the number of hooks.
@Suite(.measured) struct ManyHooksTests {
  /// A clock is one scope of four functions, and stands in its task's list once. It sees calls of each.
  @Test func oneScopeOfSeveralFunctions() async {
    await #expect(processExitsWith: .success) {
      try withScopes(FrozenTime(.seconds(7)).interceptions(), reach: .thread) { scopes in
        try #require(scopes.count == 1 && scopes[0].symbols.count == 4)
        var day = timeval()
        var precise = timespec()
        try #require(time(nil) == 7 && gettimeofday(&day, nil) == 0 && day.tv_sec == 7)
        try #require(clock_gettime(CLOCK_REALTIME, &precise) == 0 && precise.tv_sec == 7)
        let counts = scopes[0].counts
        try #require(counts.inReach >= 3 && counts.struck == counts.inReach)
        onThreads(1) { _ = time(nil) }
        try #require(scopes[0].counts.outOfReach >= 1)
      }
      try #require(time(nil) > 7)
    }
  }

  /// Scopes of one function and of several are nested as they began, whatever their reach.
  @Test func nestedScopes() async {
    await #expect(processExitsWith: .success) {
      try withFrozenTime(.seconds(7), reach: .process) {
        try withFailing("time", returning: 8) {
          try #require(time(nil) == 8)
          try withFrozenTime(.seconds(9)) {
            try #require(time(nil) == 9)
            onThreads(1) { precondition(time(nil) == 7) }
          }
          try #require(time(nil) == 8)
        }
        try withRecordedCalls(of: "clock_gettime") { recording in
          try withFrozenTime(.seconds(9)) {
            // The clock has no answer to this one, which goes on to the scopes around it.
            var precise = timespec()
            try #require(clock_gettime(CLOCK_MONOTONIC, &precise) == 0 && precise.tv_sec != 9)
          }
          try #require(recording.calls.contains { $0.words[0] == UInt64(CLOCK_MONOTONIC) })
        }
      }
      try #require(time(nil) > 9)
    }
  }

  /// The error names the first one beyond.
  @Test func moreFunctionsThanHooks() async {
    await #expect(processExitsWith: .success) {
      // A name takes a hook, whatever becomes of it. This one is refused at once.
      for number in 0..<1024 {
        #expect(throws: RebindTestingError.self) {
          try HookRegistry.shared.prepare("rebind\0\(number)")
        }
      }
      let error = try #require(throws: RebindTestingError.self) {
        try withFailing("getppid") {}
      }
      try #require(
        "\(error)"
          == "cannot rebind getppid: it is the first one beyond the functions that a process can "
          + "rebind, 1024")
    }
  }
}
