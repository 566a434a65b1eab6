#if Commands

import Glibc

/// The program while it runs. It shares our process group, so that the terminal treats it as if it were alone.
struct ChildProcess {
  private let process: pid_t
  private let signals: sigset_t
  private let formerMask: sigset_t

  /// Those that are passed on if somebody sends them to us alone, and those that a terminal sends to all.
  private static let passedOn = [
    SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT, SIGWINCH,
  ]

  init(
    _ path: String, adding library: String, sharing file: SharedFile
  ) throws(RunError) {
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in Self.passedOn + [SIGCHLD] { sigaddset(&signals, signal) }
    var formerMask = sigset_t()
    sigprocmask(SIG_BLOCK, &signals, &formerMask)
    self.signals = signals
    self.formerMask = formerMask

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    posix_spawnattr_setsigmask(&attributes, &formerMask)
    let environment = Self.environment(adding: library, file.variable)
    defer { for entry in environment { free(entry) } }
    var process: pid_t = 0
    let failure = posix_spawn(
      &process, path, nil, &attributes, RebindRun.arguments, environment)
    guard failure == 0 else {
      throw RunError(status: 126, "\(path): \(String(cString: strerror(failure)))")
    }
    self.process = process
    // Nobody may read our notes any more. The program's status is wanted nevertheless.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Ours, with the library before what is preloaded anyway. `others` take the place of variables.
  static func environment(
    adding library: String, _ variable: String, _ others: [String: String] = [:]
  ) -> [UnsafeMutablePointer<CChar>?] {
    var preloaded = ""
    var result: [UnsafeMutablePointer<CChar>?] = []
    var place = environ
    while let entry = place.pointee {
      let name = "LD_PRELOAD="
      if strncmp(entry, name, name.utf8.count) == 0 {
        preloaded = ":" + String(cString: entry + name.utf8.count)
      } else if strncmp(entry, "REBIND_RUN=", 11) != 0,
        !others.keys.contains(where: { strncmp(entry, "\($0)=", $0.utf8.count + 1) == 0 })
      {
        result.append(strdup(entry))
      }
      place += 1
    }
    result += others.map { strdup("\($0)=\($1)") }
    return result + [strdup("LD_PRELOAD=\(library)\(preloaded)"), strdup(variable), nil]
  }

  /// Waits, stops when the program stops, and passes signals on.
  func waitForEnd() throws(RunError) -> ProgramEnd {
    while true {
      var status: Int32 = 0
      let found = waitpid(process, &status, WNOHANG | WUNTRACED)
      if found == process {
        guard status & 0xff == 0x7f else { return ProgramEnd(status: status) }
        // The shell sees us stop. Once it has us go on, so does the program.
        kill(getpid(), SIGSTOP)
        kill(process, SIGCONT)
        continue
      }
      if found < 0 && errno != EINTR {
        throw RunError("the program's end was not seen: \(String(cString: strerror(errno)))")
      }
      var signals = signals
      var info = siginfo_t()
      let signal = sigwaitinfo(&signals, &info)
      // The terminal's signals have a positive code, and have reached the program, too. So have those that the
      // program itself sends to its group.
      if signal > 0, signal != SIGCHLD, info.si_code <= 0, info._sifields._kill.si_pid != process {
        kill(process, signal)
      }
    }
  }
}

/// How the program ended.
struct ProgramEnd {
  var status: Int32

  /// Ends this process in the same way. A core file is the program's alone.
  func repeatHere() -> Never {
    let signal = status & 0x7f
    guard signal != 0 else { exit(status >> 8 & 0xff) }
    // With one byte, a program that the kernel pipes core files to is not started either.
    var limit = rlimit(rlim_cur: 1, rlim_max: 1)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    Glibc.signal(signal, SIG_DFL)
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, signal)
    sigprocmask(SIG_UNBLOCK, &signals, nil)
    kill(getpid(), signal)
    exit(128 + signal)
  }
}

#endif
