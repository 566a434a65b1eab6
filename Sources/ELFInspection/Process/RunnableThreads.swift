import RebindFiles

/// The threads of a process that were runnable at some time, and how long each had run until then.
///
/// A thread that waits for a processor stays in the middle of its work, even of `dlopen`. So
/// several looks at the process count as one, as long as such a thread waits.
struct RunnableThreads {
  /// Nanoseconds, by thread.
  private var times: [Int32: UInt64] = [:]

  init(of pid: Int32) {
    var tasks = FolderListing()
    var known = KnownFiles()
    _ = tasks.read(FilePath("/proc/\(pid)/task"), &known)
    for task in tasks.files {
      guard
        let thread = Int32(String(decoding: tasks.name(of: task), as: UTF8.self)),
        ProcessStatus(of: thread, in: pid)?.isRunnable ?? false
      else { continue }
      times[thread] = Self.time(of: thread, in: pid)
    }
  }

  var isEmpty: Bool { times.isEmpty }

  /// True if each of them has run for a millisecond since, sleeps or has ended.
  func haveRun(in pid: Int32) -> Bool {
    times.allSatisfy { thread, before in
      guard ProcessStatus(of: thread, in: pid)?.isRunnable ?? false else { return true }
      guard let now = Self.time(of: thread, in: pid) else { return true }
      return now >= before + 1_000_000
    }
  }

  /// Nil if the thread does not exist, or the kernel counts no times. The corresponding file is
  /// `/proc/PID/task/TID/schedstat`.
  private static func time(of thread: Int32, in pid: Int32) -> UInt64? {
    let lines = try? ProcessFolder.lines(of: "task/\(thread)/schedstat", pid: pid)
    let field = lines?.first?.prefix { $0 != UInt8(ascii: " ") }
    return field.flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
  }
}
