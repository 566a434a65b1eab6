import Foundation

/// Runs a command with the library preloaded, in it and in the processes that it starts.
///
/// Foundation's `Process` would start a process group, which may not read from the
/// terminal.
func run(
  _ command: [String], reportingTo report: URL, holding signals: HeldSignals
) throws -> Ending {
  let libraries = [try tracingLibrary(), ProcessInfo.processInfo.environment["LD_PRELOAD"]]
  setenv("LD_PRELOAD", libraries.compactMap(\.self).joined(separator: ":"), 1)
  setenv("FILE_TRACE", report.path, 1)

  // The keyboard's signals are the command's to handle.
  var keyboardSignals = sigset_t()
  sigemptyset(&keyboardSignals)
  for number in [SIGINT, SIGQUIT] {
    sigaddset(&keyboardSignals, number)
    signal(number, SIG_IGN)
  }
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  posix_spawnattr_setflags(&attributes, CShort(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
  posix_spawnattr_setsigdefault(&attributes, &keyboardSignals)
  var mask = signals.before
  posix_spawnattr_setsigmask(&attributes, &mask)
  defer { posix_spawnattr_destroy(&attributes) }

  var arguments = command.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  var process: pid_t = 0
  let error = posix_spawnp(&process, command[0], nil, &attributes, &arguments, environ)
  guard error == 0 else { throw CannotRun(command: command[0], error: error) }
  return signals.wait(for: process)
}

/// The library lies beside this program.
private func tracingLibrary() throws -> String {
  let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
  let library = program.deletingLastPathComponent().appending(path: "libFileTrace.so")
  guard FileManager.default.fileExists(atPath: library.path) else {
    throw MissingLibrary(path: library.path)
  }
  return library.path
}

struct CannotRun: Error, CustomStringConvertible {
  var command: String
  var error: CInt
  var description: String { "cannot run \(command): \(String(cString: strerror(error)))" }
}

struct MissingLibrary: Error, CustomStringConvertible {
  var path: String
  var description: String { "\(path) is missing: build the whole package" }
}
