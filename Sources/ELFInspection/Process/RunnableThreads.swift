import Foundation

/// The threads of a process that were runnable at some time, and how long each had run until then.
///
/// A thread that waits for a processor stays in the middle of its work, even of `dlopen`. Several
/// looks at its process in that time count as one.
struct RunnableThreads {
  /// Nanoseconds, by thread.
  private let times: [Int32: UInt64]

  init(of pid: Int32) {
    let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")
    var times: [Int32: UInt64] = [:]
    for thread in (names ?? []).compactMap({ Int32($0) })
    where ProcessStatus(of: thread, in: pid)?.isRunnable ?? false {
      times[thread] = Self.time(of: thread, in: pid)
    }
    self.times = times
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
    let text = try? String(contentsOfFile: "/proc/\(pid)/task/\(thread)/schedstat", encoding: .utf8)
    return text?.split(separator: " ").first.flatMap { UInt64($0) }
  }
}
