import Glibc

nonisolated(unsafe) private var received: CInt = 0
nonisolated(unsafe) private let arrival = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
nonisolated(unsafe) private var process: pid_t = 0
nonisolated(unsafe) private var report: () -> Void = {}

/// Reports when a signal comes that the program does not handle, and lets it end the program.
///
/// A signal handler may neither allocate nor lock, so a thread waits for it.
func reportAtSignals(_ body: @escaping () -> Void) {
  (report, process) = (body, getpid())
  sem_init(arrival, 0, 0)
  // The thread takes no signal: the program may wait for them itself.
  var all = sigset_t()
  var former = sigset_t()
  sigfillset(&all)
  pthread_sigmask(SIG_SETMASK, &all, &former)
  var thread = pthread_t()
  pthread_create(&thread, nil, { _ in waitAndReport() }, nil)
  pthread_sigmask(SIG_SETMASK, &former, nil)
  for number in [SIGHUP, SIGINT, SIGTERM] {
    var action = sigaction()
    sigaction(number, nil, &action)
    guard action.__sigaction_handler.sa_handler == nil else { continue }
    signal(number) { number in
      received = number
      // So the next one ends the program at once.
      signal(number, SIG_DFL)
      // A forked child does not have the thread.
      if getpid() == process { sem_post(arrival) } else { raise(number) }
    }
  }
}

private func waitAndReport() -> UnsafeMutableRawPointer? {
  while sem_wait(arrival) != 0 {}
  report()
  kill(getpid(), received)
  return nil
}
