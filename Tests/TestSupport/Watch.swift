import Foundation
import Glibc
import Synchronization

/// Ends what hangs, and what never ends: by the processor time that it uses, so that a busy machine decides nothing.
enum Watch {
  /// How much processor time something may use, and how long it may use none.
  struct Limits {
    /// In seconds, of a process and of those that it has started.
    var most: Double
    /// Seconds in which it uses less than a second, or a sixtieth of them: it hangs.
    var idle = 60.0
  }

  private struct Watched {
    var limits: Limits
    var since = ContinuousClock.now
    var used = 0.0
    /// The processor time that it had used when it last made progress.
    var mark = 0.0

    /// Why it has to end, if it has to.
    mutating func reason(given now: Double) -> String? {
      used = max(used, now)
      // A child that has ended may count twice for a moment, or not at all: progress is any change.
      if abs(now - mark) >= min(1, limits.idle / 60) { (since, mark) = (.now, now) }
      if used > limits.most { return "it has used more than \(limits.most) s of processor time" }
      let isIdle = ContinuousClock.now - since > .seconds(limits.idle)
      return isIdle ? "it hangs: it has used no processor time for \(limits.idle) s" : nil
    }
  }

  private struct State {
    var watched: [pid_t: Watched] = [:]
    var reasons: [pid_t: String] = [:]
    var isWatching = false
    var runHasUsed = 0.0
  }

  private static let state = Mutex(State())

  /// Watches a process that this one has started.
  static func begin(_ process: pid_t, _ limits: Limits) {
    let isFirst = state.withLock { state in
      state.watched[process] = Watched(limits: limits)
      defer { state.isWatching = true }
      return !state.isWatching
    }
    if isFirst { Thread.detachNewThread { watch() } }
  }

  /// Ends the watch; says why the process was ended, if it was.
  static func end(_ process: pid_t) -> String? {
    state.withLock { state in
      state.watched[process] = nil
      return state.reasons.removeValue(forKey: process)
    }
  }

  /// The processor time of this process and of what it has started, in seconds, as last looked at.
  static var runHasUsed: Double { state.withLock { $0.runHasUsed } }

  /// Called once a second, with all processes.
  private static let checks = Mutex<[@Sendable (Processes) -> Void]>([])

  static func each(_ check: @escaping @Sendable (Processes) -> Void) {
    checks.withLock { $0.append(check) }
    begin(getpid(), Limits(most: .infinity))
  }

  private static func watch() {
    while true {
      Thread.sleep(forTimeInterval: 1)
      let processes = Processes()
      // Looking is no progress of the run.
      let run = processes.time(of: getpid()) - ownTime()
      let ended = state.withLock { state in
        state.runHasUsed = max(state.runHasUsed, run)
        var ended: [pid_t] = []
        for process in state.watched.keys {
          let used = process == getpid() ? run : processes.time(of: process)
          guard let reason = state.watched[process]?.reason(given: used) else { continue }
          state.reasons[process] = reason
          ended.append(process)
        }
        return ended
      }
      for process in ended where process != getpid() { processes.kill(process) }
      for check in checks.withLock({ $0 }) { check(processes) }
    }
  }

  /// The processor time of this thread.
  private static func ownTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Why this process should end, with its tests: all of it hangs.
  static var reasonOfRun: String? { state.withLock { $0.reasons[getpid()] } }
}

/// All processes, as /proc has them at one time.
struct Processes {
  private var children: [pid_t: [pid_t]] = [:]
  /// In seconds, with that of children for which a process has waited.
  private var times: [pid_t: Double] = [:]

  init() {
    let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
      // Behind the name, which may hold anything, come the state, the parent, and eleventh the times.
      guard let id = pid_t(name), let stat = Self.stat(of: id),
        let fields = stat.split(separator: ")").last?.split(separator: " "), fields.count > 14,
        let parent = pid_t(fields[1])
      else { continue }
      children[parent, default: []].append(id)
      times[id] = fields[11...14].reduce(0) { $0 + (Double($1) ?? 0) } / ticks
    }
  }

  private static func stat(of id: pid_t) -> String? {
    let file = open("/proc/\(id)/stat", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return withUnsafeTemporaryAllocation(byteCount: 2048, alignment: 1) { buffer in
      let count = read(file, buffer.baseAddress!, buffer.count)
      return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
  }

  /// The processes that a process has started, and those that they have.
  func descendants(of process: pid_t) -> [pid_t] {
    children[process, default: []].flatMap { [$0] + descendants(of: $0) }
  }

  func time(of process: pid_t) -> Double {
    ([process] + descendants(of: process)).reduce(0) { $0 + times[$1, default: 0] }
  }

  func kill(_ process: pid_t) {
    // A process whose child ends before it may end by itself, as if nothing had been wrong.
    for each in [process] + descendants(of: process) { _ = Glibc.kill(each, SIGKILL) }
  }
}
