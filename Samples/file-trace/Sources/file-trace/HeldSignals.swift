import Foundation

/// The signals that the launcher does not die of, so that it can clean up: they wait for `wait(for:)`.
struct HeldSignals {
  private var held = sigset_t()
  /// The signals that were held before, for the command.
  private(set) var before = sigset_t()

  init() {
    sigemptyset(&held)
    for number in [SIGTERM, SIGHUP, SIGCHLD] { sigaddset(&held, number) }
    sigprocmask(SIG_BLOCK, &held, &before)
  }

  /// Waits for a child to end, and passes SIGTERM and SIGHUP on to it.
  func wait(for child: pid_t) -> Ending {
    var (status, number): (CInt, CInt) = (0, 0)
    var held = held
    while waitpid(child, &status, WNOHANG) == 0 {
      if sigwait(&held, &number) == 0 && number != SIGCHLD { kill(child, number) }
    }
    return Ending(status: status)
  }
}
