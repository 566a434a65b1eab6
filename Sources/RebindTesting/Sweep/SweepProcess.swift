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
  /// The calls that were counted; nil if the body did not get to its end.
  var calls: Int?

  /// - Throws: `RebindTestingError` if no process can be started.
  static func run(
    of symbol: String, scope: OpaquePointer, timeLimit: Duration, _ body: () throws -> Void
  ) throws(RebindTestingError) -> SweepProcess {
    guard let message = SharedMessage() else {
      throw RebindTestingError(code: .outOfMemory, symbol: symbol)
    }
    defer { message.unmap() }
    let (process, error) = withOriginals { (crebind_testing_fork(), errno) }
    switch process {
    case -1:
      throw RebindTestingError(
        code: .failure, symbol: symbol, detail: "fork: \(String(cString: strerror(error)))")
    case 0: child(scope: scope, message: message, body)
    default: return withOriginals { parent(of: process, message: message, timeLimit: timeLimit) }
    }
  }

  private static func child(
    scope: OpaquePointer, message: SharedMessage, _ body: () throws -> Void
  ) -> Never {
    let before = withOriginals {
      // A crash shall look the same whatever this process has arranged for it.
      for number in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP] {
        signal(number, SIG_DFL)
      }
      var noFile = rlimit(rlim_cur: 0, rlim_max: 0)
      setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noFile)
      return OpenDescriptors.current
    }
    var error: String?
    do { try body() } catch let thrown { error = withOriginals { "\(thrown)" } }
    withOriginals {
      let calls = crebind_testing_fault_calls(scope)
      let leaks = OpenDescriptors.current.opened(since: before)
      message.write(
        ["\(calls)", error == nil ? "returned" : "threw", error ?? ""]
          + leaks.flatMap { ["\($0.number)", $0.path] })
    }
    _exit(0)
  }

  private static func parent(
    of process: pid_t, message: SharedMessage, timeLimit: Duration
  ) -> SweepProcess {
    let deadline = ContinuousClock.now + timeLimit
    var status: CInt = 0
    var pause: useconds_t = 100
    while waitpid(process, &status, WNOHANG) == 0 {
      guard ContinuousClock.now < deadline else {
        kill(process, SIGKILL)
        waitpid(process, &status, 0)
        return SweepProcess(outcome: .timedOut)
      }
      usleep(pause)
      pause = min(pause * 2, 5000)
    }
    let signal = status & 0x7f  // WTERMSIG
    guard signal == 0 else { return SweepProcess(outcome: .crashed(signal: signal)) }
    return SweepProcess(fields: message.read())
      ?? SweepProcess(outcome: .exited(status: status >> 8 & 0xff))  // WEXITSTATUS
  }

  /// What the child has written; nil if that is nothing.
  private init?(fields: [String]) {
    guard fields.count >= 3 else { return nil }
    calls = Int(fields[0])
    outcome = fields[1] == "threw" ? .threw(fields[2]) : .returned
    for index in stride(from: 3, to: fields.count - 1, by: 2) {
      leaks.append(LeakedDescriptor(number: CInt(fields[index]) ?? -1, path: fields[index + 1]))
    }
  }

  private init(outcome: FaultRun.Outcome) { self.outcome = outcome }
}
