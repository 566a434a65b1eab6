import Glibc

/// What happens when a file shrinks while it is read.
///
/// libelf maps files, and touching a page behind the new end of one raises SIGBUS. Reading cannot
/// go on from there, and what was printed of the file may be wrong, so the program ends: with a
/// line and the status of a file that cannot be read, but without the files behind it.
enum ShrunkFile {
  /// The file that is read.
  ///
  /// One thread sets it and reads it, for SIGBUS comes to the thread that touched the page.
  nonisolated(unsafe) private static var current: InputPath?

  /// Makes SIGBUS an error of the file that `isReading` was last called with.
  static func watch() {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in ShrunkFile.end() }
    sigaction(SIGBUS, &action, nil)
  }

  static func isReading(_ path: InputPath) {
    current = path
  }

  /// This may allocate and write, though a signal handler must not in general: the signal is
  /// raised where a mapping is read, and no allocator does that while it holds its locks.
  private static func end() {
    guard let current else {
      // Not a file of ours: die of it when the handler returns.
      signal(SIGBUS, SIG_DFL)
      return
    }
    Diagnostics.report(InputError(path: current, reason: .shrunk))
    _exit(1)
  }
}
