import RebindTesting
import Synchronization
import TestSupport

private struct CannotOpen: Error {}

/// Sweeps over functions with known mistakes.
@Suite(.measured) struct SweepTests {
  private typealias OpenTwo = @convention(c) (UnsafePointer<CChar>) -> CInt

  @Test func leakWhenTheSecondOpenFails() throws {
    let openTwo = try TypedCalls.function("open_two", as: OpenTwo.self)
    let report = try sweepFaults(in: "open", errno: EMFILE) {
      if openTwo("/etc/hostname") != 0 { throw CannotOpen() }
    }
    #expect(report.isComplete && report.runs.count == 3 && report.findings.count == 1)
    let leak = try #require(report.findings.first?.leaks.first)
    #expect(
      report.description == """
        open failed at 2 calls in turn: 1 finding
        call 2: threw CannotOpen(), descriptor left open: \(leak.number) (/etc/hostname)
        """)
  }

  @Test func crashWhenTheSecondMallocFails() throws {
    let allocateTwo: TypedCalls.Int32Caller = try TypedCalls.function("allocate_two")
    let report = try sweepFaults(in: "malloc", returning: nil, errno: ENOMEM) {
      if allocateTwo() != 0 { throw CannotOpen() }
    }
    #expect(
      report.description == """
        malloc failed at 2 calls in turn: 1 finding
        call 2: crash: ended by SIGSEGV
        """)
    #expect(
      report.runs.map(\.outcome) == [.returned, .threw("CannotOpen()"), .crashed(signal: 11)])
  }

  @Test func nothingToFind() throws {
    let report = try sweepFaults(in: "getppid", returning: 0) { for _ in 0..<5 { _ = getppid() } }
    #expect(report.runs.map(\.call) == [nil, 1, 2, 3, 4, 5] && report.isComplete)
    #expect(report.description == "getppid failed at 5 calls in turn: 0 findings")
  }

  /// A sweep that shows nothing is a finding: none of these calls could fail.
  @Test func noCallInReach() throws {
    let bodies: [() -> Void] = [
      {}, { onThreads(2) { _ = getpgrp() } }, { _ = getsid(0) },
    ]
    for body in bodies {
      let report = try sweepFaults(in: "getpgrp") { body() }
      #expect(
        report.findings.map(\.description) == [
          "without a fault: returned, made no call on this thread that could fail"
        ])
    }
    let otherwise = try sweepFaults(in: "getpgid", when: .argument(0, is: pid_t(7))) {
      _ = getpgid(0)
    }
    #expect(otherwise.findings.map(\.madeNoCall) == [true])
  }

  /// A file that was open before may be deleted meanwhile, here or in another process.
  @Test func deletedFileIsNoLeak() throws {
    let directory = try TemporaryDirectory()
    let path = directory.url.appending(path: "file").path
    let file = open(path, O_CREAT | O_RDWR, 0o600)
    try #require(file >= 0)
    defer { close(file) }
    let report = try sweepFaults(in: "getppid") {
      _ = getppid()
      unlink(path)
    }
    #expect(report.findings.isEmpty, "\(report)")
  }

  /// A program that closes numbers of a range, open or not, makes no mistake.
  @Test func closedTwice() throws {
    let once = try sweepFaults(in: "getppid") {
      _ = getppid()
      let descriptor = dup(2)
      for number in descriptor..<descriptor + 20 { close(number) }
    }
    #expect(once.findings.isEmpty, "\(once)")
    let twice = try sweepFaults(in: "getppid", returning: 0) {
      let descriptor = dup(2)
      close(descriptor)
      if getppid() == 0 { close(descriptor) }
    }
    let descriptor = try #require(twice.findings.first?.closedTwice.first)
    #expect(
      twice.findings.map(\.description) == [
        "call 1: returned, descriptor closed twice: \(descriptor)"
      ])
  }

  /// A call that goes on, late or for less, is no failure for the body to pass on.
  @Test func harmlessFaults() throws {
    let body = { if getppid() > 0 { throw CannotOpen() } }
    func findings(_ result: FaultResult) throws -> [Int?] {
      try sweepFaults(in: "close", returning: result, errno: result == .usual ? EIO : nil) {
        let descriptor = dup(2)
        if close(descriptor) != 0 { throw CannotOpen() }
      }.findings.map(\.call)
    }
    #expect(try findings(.usual) == [])
    #expect(try findings(.original) == [])
    let late = try sweepFaults(in: "getppid", returning: .original, limit: 1, body: body)
    #expect(late.findings.map(\.call) == [nil, 1])
  }

  @Test func severalFunctions() throws {
    let report = try sweepFaults(Fault("getppid", returning: 0), Fault("getpgid", errno: EPERM)) {
      if getppid() == 0 { abort() }
      for _ in 0..<2 where getpgid(0) < 0 { throw CannotOpen() }
    }
    #expect(
      report.runs.map(\.fault.symbol) == Array(repeating: "getppid", count: 2) + [
        "getpgid", "getpgid", "getpgid",
      ])
    #expect(
      report.description == """
        getppid, getpgid failed at 3 calls in turn: 1 finding
        Fault(getppid returns 0), call 1: crash: ended by SIGABRT
        """)
  }

  /// The sweep itself chooses the calls.
  @Test func faultOfOneCall() throws {
    let error = try #require(throws: RebindTestingError.self) {
      try sweepFaults(Fault("getpgid"), Fault("getppid", onCall: 2)) { Issue.record("body ran") }
    }
    #expect(
      error.code == .invalidFault && error.detail.hasSuffix("states call 2: leave onCall out"))
  }

  @Test func limit() throws {
    let report = try sweepFaults(in: "getppid", limit: 2) { for _ in 0..<5 { _ = getppid() } }
    #expect(report.runs.count == 3 && !report.isComplete)
    #expect(
      report.description == "getppid failed at 2 calls in turn, and there may be more: 0 findings")
    let exact = try sweepFaults(in: "getppid", limit: 5) { for _ in 0..<5 { _ = getppid() } }
    #expect(exact.isComplete)
  }

  /// A body that does not end well without a fault is a finding too.
  @Test func mistakesWithoutAFault() throws {
    let thrown = try sweepFaults(in: "getppid") { throw CannotOpen() }
    #expect(thrown.findings.map(\.description) == ["without a fault: threw CannotOpen()"])
    let crashed = try sweepFaults(in: "getppid") { abort() }
    #expect(crashed.runs.map(\.outcome) == [.crashed(signal: SIGABRT)] && !crashed.isComplete)
    let exited = try sweepFaults(in: "getppid") { exit(3) }
    #expect(exited.runs.map(\.outcome) == [.exited(status: 3)])
    let hung = try sweepFaults(in: "getppid", timeLimit: .milliseconds(200)) {
      while true { pause() }
    }
    #expect(hung.findings.map(\.outcome) == [.timedOut])
    #expect(
      hung.findings.map(\.description) == [
        "without a fault: hang: it did not end in time, in 2 attempts"
      ])
  }

  /// The second lock of the same thread waits for ever, in each attempt.
  @Test func lockThatIsNotOpened() throws {
    let clock = ContinuousClock()
    var shortest = Duration.seconds(60)
    // On a busy machine any sweep may take long, but not each.
    for _ in 0..<5 where shortest >= .seconds(30) {
      let start = clock.now
      let report = try sweepFaults(in: "getppid", returning: 0, timeLimit: .seconds(60)) {
        let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
        pthread_mutex_lock(lock)
        if getppid() != 0 { pthread_mutex_unlock(lock) }
        pthread_mutex_lock(lock)
      }
      shortest = min(shortest, clock.now - start)
      let findings = report.findings
      try #require(findings.map(\.outcome) == [.deadlocked] && findings[0].repetitions == 7)
      #expect("\(findings[0])" == "call 1: hang: it waits for ever for a lock, in 8 attempts")
    }
    #expect(shortest < .seconds(30))
  }

  /// Threads that have locks of Swift's runtime all the time do not stall a child.
  @Test(.notInCheck) func busyThreads() async {
    await #expect(processExitsWith: .success) {
      let stop = Atomic(false)
      let threads = DispatchGroup()
      for seed in 0..<4 {
        threads.enter()
        Thread.detachNewThread {
          var value = seed
          while !stop.load(ordering: .relaxed) {
            value = (value &* 31 &+ 7) & 0xff
            _ = busy(value)
          }
          threads.leave()
        }
      }
      let clock = ContinuousClock()
      for _ in 0..<tries(30) {
        // 10 runs: without a fault, and with each of 9 calls failing.
        let start = clock.now
        let report = try sweepFaults(in: "getppid", timeLimit: .seconds(100)) {
          for number in 0..<9 {
            _ = getppid()
            _ = busy(number)
          }
        }
        try #require(report.isComplete && report.findings.isEmpty, "\(report)")
        // A run that stalls does so for ever, and takes the time limit. It is long, since a busy
        // machine takes long for ten runs.
        try #require(clock.now - start < .seconds(80))
      }
      stop.store(true, ordering: .relaxed)
      threads.wait()
    }
  }

  /// The body's changes stay in its own process.
  @Test func runsDoNotSeeEachOther() throws {
    var runs = 0
    let report = try sweepFaults(in: "getppid") {
      runs += 1
      if runs != 1 { throw CannotOpen() }
      _ = getppid()
    }
    #expect(runs == 0 && report.runs.map(\.outcome) == [.returned, .returned])
  }

  /// The child neither writes the parent's text again nor runs its handlers.
  @Test func aBodyMayExit() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) {
      atexit { _ = write(STDOUT_FILENO, "at exit ", 8) }
      print("printed", terminator: " ")
      let report = try sweepFaults(in: "getppid") {
        _ = getppid()
        exit(3)
      }
      try #require(report.runs.first?.outcome == .exited(status: 3))
    }
    let output = String(decoding: try #require(result?.standardOutputContent), as: UTF8.self)
    // The process of such a test ends without its handlers, so that only a child could have run them.
    #expect(output.ranges(of: "printed").count == 1 && !output.contains("at exit"))
  }
}

private protocol Shape { var size: Int { get } }
private struct Box<Content>: Shape {
  var content: Content
  var size: Int { MemoryLayout<Content>.size }
}

/// Casts, prints and makes generic types, for which the runtime locks.
private func busy(_ number: Int) -> Int {
  func wrap<Content>(_ content: Content, _ depth: Int) -> any Shape {
    depth == 0 ? Box(content: content) : wrap(Box(content: [content]), depth - 1)
  }
  let shape = wrap(number, number & 7)
  let text = "\(shape as Any)" + ((shape as Any as? any Error).map { "\($0)" } ?? "none")
  return text.count + shape.size
}
