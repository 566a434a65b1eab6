#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindTesting

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// One run of a sweep in a process of its own.
struct SweepProcess {
  var outcome: FaultRun.Outcome
  var leaks: [LeakedDescriptor] = []
  var closedTwice: [CInt] = []
  /// The calls that were counted; nil if the body did not get to its end.
  var calls: Int?

  /// - Throws: `RebindTestingError` if no process can be started.
  static func run(
    of symbol: String, scope: OpaquePointer, timeLimit: Duration, _ body: () throws -> Void
  ) throws(RebindTestingError) -> SweepProcess {
    guard let exchange = withOriginals({ crebind_testing_exchange_make() }) else {
      throw RebindTestingError(code: .outOfMemory, symbol: symbol)
    }
    defer { withOriginals { crebind_testing_exchange_free(exchange) } }
    // Nothing generic from here on: in the child, the runtime may find its locks held.
    let saved = errno
    crebind_testing_suppress_begin()
    let process = crebind_testing_fork(exchange)
    let error = errno
    crebind_testing_suppress_end()
    errno = saved
    switch process {
    case -1:
      throw RebindTestingError(
        code: .failure, symbol: symbol, detail: "fork: \(String(cString: strerror(error)))")
    case 0: child(scope: scope, exchange: exchange, body)
    default:
      return withOriginals { parent(of: process, exchange: exchange, timeLimit: timeLimit) }
    }
  }

  private static func child(
    scope: OpaquePointer, exchange: OpaquePointer, _ body: () throws -> Void
  ) -> Never {
    do {
      try body()
    } catch {
      crebind_testing_suppress_begin()
      crebind_testing_child_end(exchange, crebind_testing_fault_calls(scope), "\(error)")
    }
    crebind_testing_suppress_begin()
    crebind_testing_child_end(exchange, crebind_testing_fault_calls(scope), nil)
  }

  private static func parent(
    of process: pid_t, exchange: OpaquePointer, timeLimit: Duration
  ) -> SweepProcess {
    let before = OpenDescriptors(of: process)
    crebind_testing_advance(exchange, UInt32(CREBIND_TESTING_RUNNING))
    let deadline = ContinuousClock.now + timeLimit
    var status: CInt = 0
    var pause: useconds_t = 100
    var sleep = crebind_testing_sleep()
    while waitpid(process, &status, WNOHANG) == 0 {
      if crebind_testing_phase(exchange) == UInt32(CREBIND_TESTING_ENDED) {
        let leaks = OpenDescriptors(of: process).opened(since: before)
        crebind_testing_advance(exchange, UInt32(CREBIND_TESTING_MAY_EXIT))
        waitpid(process, &status, 0)
        return SweepProcess(ended: exchange, leaks: leaks)
      }
      // A process that sleeps through a pause of milliseconds may be waiting for ever.
      let isStuck = pause >= 2000 && crebind_testing_is_stuck(process, &sleep)
      guard !isStuck, ContinuousClock.now < deadline else {
        kill(process, SIGKILL)
        waitpid(process, &status, 0)
        return SweepProcess(outcome: isStuck ? .deadlocked : .timedOut)
      }
      usleep(pause)
      pause = min(pause * 2, 5000)
    }
    let signal = status & 0x7f  // WTERMSIG
    return SweepProcess(
      outcome: signal != 0
        ? .crashed(signal: signal) : .exited(status: status >> 8 & 0xff))  // WEXITSTATUS
  }

  private init(ended exchange: OpaquePointer, leaks: [LeakedDescriptor]) {
    let error = crebind_testing_exchange_error(exchange).map { String(cString: $0) }
    outcome = error.map { .threw($0) } ?? .returned
    calls = Int(crebind_testing_exchange_calls(exchange))
    self.leaks = leaks
    var next = crebind_testing_exchange_closed_twice(exchange, 0)
    while next >= 0 {
      closedTwice.append(next)
      next = crebind_testing_exchange_closed_twice(exchange, closedTwice.count)
    }
  }

  private init(outcome: FaultRun.Outcome) { self.outcome = outcome }
}
#endif
