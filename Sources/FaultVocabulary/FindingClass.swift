#if os(Linux) && !REBIND_ELSEWHERE
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The classes of what code does wrong when a call fails, by the words that reports have for them.
package enum FindingClass: String, Sendable, CaseIterable {
  case crash = "crash"
  case crashInLibc = "crash inside libc"
  case sanitizer = "sanitizer report"
  case hang = "hang"
  case wrongOutput = "exit 0 with other output"
  /// Of a program whose usual status is not 0, such as `diff`.
  case otherOutput = "usual exit status with other output"
  case lostOutput = "output lost without a message"
  case silent = "failure without a message"
  case closedTwice = "descriptor closed twice"
  case leftOpen = "descriptor left open"

  /// The words for the end by a signal.
  package static func end(by signal: CInt) -> String { "ended by \(signalName(signal))" }

  /// The words for the end by a time limit.
  package static let endByTime = "it did not end in time"
}

/// The name of a signal, such as `SIGSEGV`; `signal 40` for one without a name.
package func signalName(_ signal: CInt) -> String {
  signalNames[signal] ?? "signal \(signal)"
}

private let signalNames: [CInt: String] = [
  SIGABRT: "SIGABRT", SIGALRM: "SIGALRM", SIGBUS: "SIGBUS", SIGCHLD: "SIGCHLD", SIGCONT: "SIGCONT",
  SIGFPE: "SIGFPE", SIGHUP: "SIGHUP", SIGILL: "SIGILL", SIGINT: "SIGINT", SIGIO: "SIGIO",
  SIGKILL: "SIGKILL", SIGPIPE: "SIGPIPE", SIGPROF: "SIGPROF", SIGPWR: "SIGPWR", SIGQUIT: "SIGQUIT",
  SIGSEGV: "SIGSEGV", SIGSTOP: "SIGSTOP", SIGSYS: "SIGSYS", SIGTERM: "SIGTERM", SIGTRAP: "SIGTRAP",
  SIGTSTP: "SIGTSTP", SIGTTIN: "SIGTTIN", SIGTTOU: "SIGTTOU", SIGURG: "SIGURG", SIGUSR1: "SIGUSR1",
  SIGUSR2: "SIGUSR2", SIGVTALRM: "SIGVTALRM", SIGWINCH: "SIGWINCH", SIGXCPU: "SIGXCPU",
  SIGXFSZ: "SIGXFSZ",
]
#endif
