#if Commands

import Glibc
import RebindFiles
import Synchronization

/// Ends the program when reading a file raises a signal that no reading can go on from.
///
/// libelf maps files. If a file shrinks, touching a page beyond its new end raises SIGBUS. Moreover,
/// Swift's demangler aborts on some names that no compiler makes. The output for the file may then
/// be wrong or incomplete. So the program ends with a line and with the status of a file that cannot
/// be read. The files behind this one are not read, and output that is not written yet is lost.
///
/// The handler allocates and writes, which a signal handler must not do in general. Here it may:
/// the program raises these signals itself, where it reads a page or aborts, and never while it
/// allocates.
enum FatalSignals {
  /// The work that a thread is at. The signals come to the thread that raised them.
  private final class Activity {
    var path: FilePath?
    var isDemangling = false
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { activity in
      if let activity { Unmanaged<Activity>.fromOpaque(activity).release() }
    }
    return key
  }()

  private static var activity: Activity? {
    pthread_getspecific(key).map { Unmanaged<Activity>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Makes the signals errors of the file that their thread last called `isReading` with.
  static func watch() {
    watchThread()
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { FatalSignals.end($0) }
    sigaction(SIGBUS, &action, nil)
    sigaction(SIGABRT, &action, nil)
  }

  /// Has the calling thread watched too.
  static func watchThread() {
    if activity == nil { pthread_setspecific(key, Unmanaged.passRetained(Activity()).toOpaque()) }
  }

  static func isReading(_ path: FilePath) {
    activity?.path = path
  }

  static func demangling<Result>(_ body: () -> Result) -> Result {
    let activity = activity
    activity?.isDemangling = true
    defer { activity?.isDemangling = false }
    return body()
  }

  private static let hasEnded = Atomic(false)

  private static func end(_ number: Int32) {
    let activity = activity
    // Another thread ends the program, with its line alone.
    if hasEnded.exchange(true, ordering: .relaxed) { while true { pause() } }
    switch (number, activity?.path) {
    case (SIGBUS, let path?):
      Diagnostics.report(path, "truncated: the file became shorter while it was read")
    case (SIGABRT, let path?) where activity?.isDemangling == true:
      Diagnostics.report(path, "the demangler cannot read a name; try without --demangle")
    default:
      // Not of our doing: die of it when the handler returns.
      signal(number, SIG_DFL)
      return
    }
    ExitStatus.trouble.endProgram()
  }
}

#endif
