import RebindTesting
import Synchronization
import TestSupport

/// Functions that Swift's runtime, libffi and the machinery itself call can be
/// rebound, for the task and for the process.
@Suite(.measured) struct HookedRuntimeTests {
  @Test(arguments: [Reach.task, .process])
  func malloc(reach: Reach<AnyBody>) async {
    await #expect(processExitsWith: .success) { [reach = "\(reach)"] in
      let calls = Atomic(0)
      try await withRebinding(
        "malloc", reach: reach == "task" ? .task : .process,
        { (original, size: Int) -> UnsafeMutableRawPointer? in
          calls.add(1, ordering: .relaxed)
          var texts: [String] = []  // allocates itself
          for number in 0..<4 { texts.append("number \(number) of several, and not small") }
          return texts.count == 4 ? original(size) : nil
        }
      ) { try await work() }
      try #require(calls.load(ordering: .relaxed) > 10)
    }
  }

  /// The runtime asks for memory under the lock of its arrays' types now and then, as the number of
  /// these grows. Whatever deals with such a call must need no new type.
  @Test(.notInCheck, arguments: 0..<24, ["handler", "fault", "recording"])
  func theFirstCallMayComeUnderALockOfTheRuntime(typeCount: Int, kind: String) async {
    await #expect(processExitsWith: .success) { [typeCount, kind] in
      var type: any Layered.Type = Layer<Never>.self
      for _ in 0..<typeCount {
        type.allocateArray()
        type = type.next
      }
      switch kind {
      case "handler":
        try withRebinding(
          "malloc", reach: .thread,
          { (original, size: Int) -> UnsafeMutableRawPointer? in original(size) }
        ) { type.allocateArray() }
      case "fault":
        try withFailing("malloc", onCall: 1000, reach: .thread, mayNotStrike: true) {
          type.allocateArray()
        }
      default:
        try withRecordedCalls(of: "malloc", reach: .thread) { recording in
          type.allocateArray()
          try #require(!recording.callsOfRuntime.isEmpty)
        }
      }
    }
  }

  @Test(arguments: [Reach.task, .process])
  func free(reach: Reach<AnyBody>) async {
    await #expect(processExitsWith: .success) { [reach = "\(reach)"] in
      let calls = Atomic(0)
      try await withRebinding(
        "free", reach: reach == "task" ? .task : .process,
        { (original, address: UnsafeMutableRawPointer?) in
          calls.add(1, ordering: .relaxed)
          original(address)
        }
      ) { try await work() }
      try #require(calls.load(ordering: .relaxed) > 10)
    }
  }

  @Test(arguments: ["pthread_mutex_lock", "pthread_mutex_unlock", "pthread_getspecific"])
  func locks(symbol: String) async {
    await #expect(processExitsWith: .success) { [symbol] in
      try await withRebinding(
        symbol, reach: .process,
        { (original, lock: UnsafeMutableRawPointer?) -> Int in original(lock) }
      ) { try await work() }
    }
  }

  /// Swift's own locks and those of the testing library do not fail.
  @Test(arguments: [false, true])
  func locksThatFail(isOfProcess: Bool) async {
    await #expect(processExitsWith: .success) { [isOfProcess] in
      try await withFailing(
        "pthread_mutex_lock", errno: EINVAL, reach: isOfProcess ? .process : .task
      ) { fault in
        try await work()
        let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
        try #require(pthread_mutex_lock(lock) == EINVAL && fault.strikes >= 1)
        try #require(fault.counts.spared > 0)
      }
    }
  }

  /// libffi copies arguments by memcpy.
  @Test(arguments: ["memcpy", "memmove"])
  func copies(symbol: String) async {
    await #expect(processExitsWith: .success) { [symbol] in
      try await withRebinding(
        symbol, reach: .process,
        {
          (original, to: UnsafeMutableRawPointer, from: UnsafeRawPointer?, count: Int)
            -> UnsafeMutableRawPointer in
          original(to, from, count)
        }
      ) { try await work() }
    }
  }

  /// Our own code uses them when a recorded call has returned.
  @Test(arguments: ["__errno_location", "memset"], ["task", "process"])
  func recordings(symbol: String, reach: String) async {
    await #expect(processExitsWith: .success) { [symbol, reach] in
      let calls = try await withRecordedCalls(
        of: symbol, reach: reach == "task" ? .task : .process
      ) { recording in
        errno = 0
        try await work()
        return recording.calls + recording.callsOfRuntime
      }
      try #require(!calls.isEmpty)
    }
  }

  /// Nothing that a scope needs is reached by a scope.
  @Test func scopesInsideHookedScopes() async {
    await #expect(processExitsWith: .success) {
      try await withRebinding(
        "malloc", { (original, size: Int) -> UnsafeMutableRawPointer? in original(size) }
      ) {
        try await withRebinding(
          "clock_gettime", reach: .process,
          { (original, clock: clockid_t, time: UnsafeMutablePointer<timespec>?) -> CInt in
            original(clock, time)
          }
        ) {
          try await withRebinding("getppid", { _ -> pid_t in 7 }) {
            try await work()
            try #require(getppid() == 7)
          }
        }
      }
    }
  }
}

/// Allocates, locks, copies, starts tasks and asks for the time.
private func work() async throws {
  let lengths = await withTaskGroup { group in
    for number in 0..<50 {
      group.addTask {
        await Task.yield()
        return (0...number).map { "\($0) and some more text" }.joined(separator: ", ").count
      }
    }
    return await group.reduce(0, +)
  }
  try #require(lengths > 0)
  let text = try String(contentsOfFile: "/etc/os-release", encoding: .utf8)
  try #require(!text.isEmpty && Date().timeIntervalSince1970 > 0)
  try await Task.sleep(for: .milliseconds(1))
}

/// One of endlessly many types.
private protocol Layered {
  static var next: any Layered.Type { get }
  static func allocateArray()
}

private struct Layer<Inner>: Layered {
  var number = 0

  static var next: any Layered.Type { Layer<Self>.self }

  static func allocateArray() {
    var array: [Self] = []
    array.reserveCapacity(1)
    withExtendedLifetime(array) {}
  }
}
