import Foundation

/// How a process has ended, as `waitpid` tells it.
struct Ending {
  var status: CInt

  /// Ends this process in the same way.
  func passOn() -> Never {
    let number = status & 0x7f  // WTERMSIG
    if number != 0 {
      var noFile = rlimit(rlim_cur: 0, rlim_max: 0)
      setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noFile)
      signal(number, SIG_DFL)
      var one = sigset_t()
      sigemptyset(&one)
      sigaddset(&one, number)
      sigprocmask(SIG_UNBLOCK, &one, nil)
      raise(number)
    }
    exit(status >> 8 & 0xff)  // WEXITSTATUS
  }
}
