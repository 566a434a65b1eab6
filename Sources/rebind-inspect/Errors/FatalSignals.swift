import Glibc
import RebindFiles

/// What happens when reading a file raises a signal that no reading can go on from.
///
/// libelf maps files, and touching a page behind the new end of a file that shrinks raises SIGBUS.
/// And Swift's demangler aborts on some names that no compiler makes. What was printed of the file
/// may be wrong or is incomplete, so the program ends: with a line and the status of a file that
/// cannot be read, but without the files behind it.
///
/// The handler allocates and writes, though a handler must not in general: the program raises these
/// signals itself, where it reads a page or aborts, and never in the middle of allocating.
enum FatalSignals {
  /// The file that is read. One thread sets it and reads it, as the signals come to the thread
  /// that raised them; so for the next one.
  nonisolated(unsafe) private static var path: FilePath?
  nonisolated(unsafe) private static var isDemangling = false

  /// Makes the signals errors of the file that `isReading` was last called with.
  static func watch() {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { FatalSignals.end($0) }
    sigaction(SIGBUS, &action, nil)
    sigaction(SIGABRT, &action, nil)
  }

  static func isReading(_ path: FilePath) {
    self.path = path
  }

  static func demangling<Result>(_ body: () -> Result) -> Result {
    isDemangling = true
    defer { isDemangling = false }
    return body()
  }

  private static func end(_ number: Int32) {
    switch (number, path) {
    case (SIGBUS, let path?):
      Diagnostics.report(path, "truncated: the file became shorter while it was read")
    case (SIGABRT, let path?) where isDemangling:
      Diagnostics.report(path, "the demangler cannot read a name; try without --demangle")
    default:
      // Not of our doing: die of it when the handler returns.
      signal(number, SIG_DFL)
      return
    }
    _exit(1)
  }
}
