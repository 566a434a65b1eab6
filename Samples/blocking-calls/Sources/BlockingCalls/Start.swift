import Glibc
import Rebind
import RebindTesting
import Synchronization

/// Searches from before the program's `main` to its end.
private struct Search: ~Copyable {
  let calls: BlockingCallSearch
  let program: String
  /// A forked child has a copy of all this, and nothing to report.
  let process = getpid()
  let isReported = Atomic(false)

  func report() {
    guard process == getpid(), !isReported.exchange(true, ordering: .relaxed) else { return }
    let found = calls.found
    let noun = found.calls == 1 ? "call" : "calls"
    let title = "\(program): \(found.calls) \(noun) blocked threads of Swift's pool"
    printError(found.calls > 0 ? "\(title)\n\(table(of: found))" : title)
  }
}

nonisolated(unsafe) private var search: Search?

/// The loader calls this before the program's `main`.
@section(".init_array") @used
private let start: @convention(c) () -> Void = {
  do {
    let program = try Image.main
    // Programs that this one starts have the library too, and their standard error may be read by a program.
    let isFirst = getenv("BLOCKING_CALLS_STARTED") == nil
    setenv("BLOCKING_CALLS_STARTED", "", 1)
    guard program.needed.contains("libswift_Concurrency.so") else {
      if isFirst {
        printError("\(program.name) is not linked with Swift's runtime: nothing is searched")
      }
      return
    }
    search = Search(calls: try BlockingCallSearch(), program: program.name)
    atexit { search?.report() }
    reportAtSignals { search?.report() }
  } catch {
    printError("nothing is searched: \(error)")
  }
}

/// In one write, so that reports of processes do not mix.
private func printError(_ text: String) {
  let line = "blocking-calls: \(text)\n"
  _ = write(STDERR_FILENO, line, line.utf8.count)
}
