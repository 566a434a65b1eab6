import RebindTesting
import TestSupport

/// Faults, handlers and recordings know their calls. Other tests call the same functions, so that what
/// is out of reach is counted in processes of their own.
@Suite(.measured) struct CountTests {
  @Test func strikesOfAFault() throws {
    try withFailing("getppid", returning: 5, onCall: 2) { fault in
      #expect(fault.strikes == 0)
      for _ in 0..<3 { _ = getppid() }
      let counts = fault.counts
      #expect(fault.strikes == 1 && counts.inReach == 3)
      #expect("\(counts)" == "3 calls in reach, 1 struck, \(counts.outOfReach) out of reach")
    }
  }

  /// Also of threads that have ended, and that go on with the counters of others.
  @Test func callsOutOfReach() async {
    await #expect(processExitsWith: .success) {
      let call: TypedCalls.Int32Caller = try TypedCalls.function("call_small")
      try withFailing("small", returning: .value(Int8(1)), onCall: 3, reach: .thread) { fault in
        for round in 1...20 {
          onThreads(4) { for _ in 0..<100 { _ = call() } }
          try #require(fault.counts.outOfReach == round * 400 && fault.counts.inReach == 0)
        }
        for _ in 0..<4 { _ = call() }
        try #require(
          fault.counts.outOfReach == 8000 && fault.counts.inReach == 4 && fault.strikes == 1)
      }
      try withFailing("small", returning: .value(Int8(1)), reach: .process) { fault in
        onThreads(4) { for _ in 0..<100 { _ = call() } }
        try #require(
          fault.strikes == 400 && fault.counts.inReach == 400 && fault.counts.outOfReach == 0)
      }
    }
  }

  /// A call is in reach of an outer scope too, whatever an inner one makes of it.
  @Test func nestedScopesCountTheirOwn() async {
    await #expect(processExitsWith: .success) {
      let call: TypedCalls.Int32Caller = try TypedCalls.function("call_small")
      try withFailing("small", returning: .value(Int8(1))) { outer in
        try withFailing("small", returning: .value(Int8(2)), onCall: 2) { inner in
          try #require([call(), call(), call()] == [1, 2, 1])
          try #require(inner.counts.inReach == 3 && inner.strikes == 1)
          try #require(outer.counts.inReach == 3 && outer.strikes == 2)
        }
        try withRebinding("small", { (original, value: Int8) -> Int8 in original(value) }) {
          try #require(call() == 1)
          let counts = try #require(CallCounts.current(of: "small"))
          try #require(counts.inReach == 1 && counts.struck == 1)
        }
        try #require(outer.counts.inReach == 4 && outer.strikes == 3)
        try #require(outer.counts.outOfReach == 0)
      }
      try #require(CallCounts.current(of: "small") == nil)
    }
  }

  @Test func recordings() throws {
    try withRecordedCalls(of: "getppid") { recording in
      _ = getppid()
      #expect(CallCounts.current(of: "getppid")?.struck == 1)
      #expect(CallCounts.current(of: "open") == nil)
    }
  }

  /// Swift's own allocations are counted apart.
  @Test func sparedCalls() throws {
    let allocate: @convention(c) (Int) -> UnsafeMutableRawPointer? =
      try TypedCalls.function("allocate")
    try withFailing("malloc", errno: ENOMEM) { fault in
      let texts = (0..<20).map { "text number \($0), not small at all" }
      #expect(texts.count == 20 && allocate(10) == nil)
      #expect(fault.counts.spared >= 20 && fault.counts.inReach == 1 && fault.strikes == 1)
    }
  }

  @Test func shortfallsAreSentences() async {
    await #expect(processExitsWith: .success) {
      let call: TypedCalls.Int32Caller = try TypedCalls.function("call_small")
      func shortfall(
        onCall: FaultCalls = .all, when condition: FaultCondition = .always, _ body: () -> Void
      ) throws -> String? {
        try withFailing(
          "small", returning: .value(Int8(1)), onCall: onCall, when: condition, mayNotStrike: true
        ) { fault in
          body()
          return fault.shortfall
        }
      }
      try #require(try shortfall { _ = call() } == nil)
      try #require(
        try shortfall {} == """
          the fault of small struck 0 of 1 time (all calls): 0 calls in reach, 0 struck, 0 out of \
          reach; the code under test did not call small: it may use another function
          """)
      try #require(
        try shortfall { onThreads(3) { _ = call() } }?.hasSuffix(
          "3 calls on other threads or detached tasks: use reach: .process") == true)
      try #require(
        try shortfall(onCall: (2...4).faultCalls) { for _ in 0..<3 { _ = call() } } == """
          the fault of small struck 2 of 3 times (calls 2 to 4): 3 calls in reach, 2 struck, 0 out \
          of reach; the code under test makes too few calls
          """)
      try #require(
        try shortfall(when: .argument(0, is: Int8(7))) { _ = call() }?.hasSuffix(
          "too few of the calls in reach fulfil the condition") == true)
      // Some are out of reach beside those.
      try #require(
        try shortfall(onCall: 2.faultCalls) {
          _ = call()
          onThreads(3) { _ = call() }
        }?.hasSuffix(
          "the code under test makes too few calls; 3 calls on other threads or detached tasks: "
            + "use reach: .process") == true)
      try #require(
        try shortfall(onCall: .random(0, seed: 1)) { _ = call() }?.hasSuffix(
          "chance chose too few of the calls") == true)
      // A younger fault answers them.
      try #require(
        try shortfall { _ = try? withFailing("small", returning: .value(Int8(2))) { call() } }?
          .hasSuffix(
            "; 1 call went to a handler or fault inside of it") == true)
    }
  }

  /// A forked child counts on, with counters that are its own.
  @Test func childrenCountTheirOwn() throws {
    let call: TypedCalls.Int32Caller = try TypedCalls.function("call_small")
    try withFailing("small", returning: .value(Int8(1))) { fault in
      _ = call()
      let report = try sweepFaults(in: "getppid") {
        // Those of other tests, until this process was forked.
        let others = fault.counts.outOfReach
        _ = getppid()
        _ = call()
        guard fault.counts.inReach == 2, fault.counts.outOfReach == others else { exit(1) }
      }
      #expect(report.findings.isEmpty, "\(report)")
      #expect(fault.counts.inReach == 1)
    }
  }
}

/// Runs `body` on new threads at once, and waits for them.
func onThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) {
  final class Start: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  let threads = (0..<count).map { _ in
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      {
        Unmanaged<Start>.fromOpaque($0!).takeRetainedValue().body()
        return nil
      }, Unmanaged.passRetained(Start(body)).toOpaque())
    return thread
  }
  for thread in threads { pthread_join(thread, nil) }
}
