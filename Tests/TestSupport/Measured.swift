import Foundation
import Synchronization
public import Testing

/// Measures the tests of a suite while they run, and ends a run in which one hangs.
///
/// Swift Testing counts the time that a test waits for a free thread too: nearly all tests of a run
/// "finish" at its end. Here a test case begins when its body does. `Scripts/test`, which prints
/// the times, lets no more of them begin than the machine has cores. Without that, the body of an
/// asynchronous test waits as well: so it alone has tests measured, by `REBIND_TEST_TIMES`, the
/// file that the times go to, a line a case.
public struct Measured: SuiteTrait, TestTrait, TestScoping {
  /// The longest time that a test case may take.
  fileprivate var limit: Duration

  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard RunningCases.areMeasured else { return try await function() }
    let number = RunningCases.begin(test.id, limit: limit)
    defer { RunningCases.end(number) }
    try await function()
  }
}

extension Trait where Self == Measured {
  /// Measures the suite's tests. A case that takes more than five minutes ends the run.
  public static var measured: Self { measured(limit: .seconds(300)) }

  /// The same with a limit of its own.
  public static func measured(limit: Duration) -> Self { Measured(limit: limit) }
}

/// The test cases that run now.
private enum RunningCases {
  private struct Case {
    var test: Test.ID
    var start: ContinuousClock.Instant
    var limit: Duration
  }

  private struct State {
    var cases: [Int: Case] = [:]
    var begun = 0
  }

  private static let state = Mutex(State())
  private static let start = ContinuousClock.now

  static var areMeasured: Bool { times >= 0 }

  private static let times: CInt =
    ProcessInfo.processInfo.environment["REBIND_TEST_TIMES"].map {
      open($0, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o666)
    } ?? -1

  static func begin(_ test: Test.ID, limit: Duration) -> Int {
    state.withLock { state in
      if state.begun == 0 { Thread.detachNewThread { endOverdueRun() } }
      state.begun += 1
      state.cases[state.begun] = Case(test: test, start: .now, limit: limit)
      return state.begun
    }
  }

  static func end(_ number: Int) {
    let ended = state.withLock { $0.cases.removeValue(forKey: number) }
    guard let ended else { return }
    let line = "\(ended.test)\t\((ended.start - start).seconds)\t\((.now - start).seconds)\n"
    // In one write, since other threads write too.
    _ = Array(line.utf8).withUnsafeBytes { write(times, $0.baseAddress, $0.count) }
  }

  /// Ends this process, and those that it has started, when a case takes too long: a test that
  /// waits for a process cannot be cancelled.
  private static func endOverdueRun() {
    while true {
      Thread.sleep(forTimeInterval: 1)
      let overdue = state.withLock { $0.cases.values.filter { .now - $0.start > $0.limit } }
      guard !overdue.isEmpty else { continue }
      for one in overdue {
        FileHandle.standardError.write(
          Data("✘ \(one.test) takes more than \(one.limit.seconds) s, so the run ends.\n".utf8))
      }
      let children = descendants(of: getpid())
      for child in children {
        // Nothing is there of one that has ended.
        let command = (try? Data(contentsOf: URL(filePath: "/proc/\(child)/cmdline"))) ?? Data()
        guard !command.isEmpty else { continue }
        let words = String(decoding: command, as: UTF8.self).replacing("\0", with: " ")
        FileHandle.standardError.write(Data("  it leaves process \(child): \(words)\n".utf8))
      }
      children.forEach { kill($0, SIGKILL) }
      _exit(1)
    }
  }

  /// The processes that a process has started, and those that they have, by /proc.
  private static func descendants(of parent: pid_t) -> [pid_t] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    let parents: [(pid_t, pid_t)] = all.compactMap { name in
      guard let id = pid_t(name),
        let stat = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
        // Behind the name, which may hold anything, come the state and the parent.
        let parent = stat.split(separator: ")").last?.split(separator: " ").dropFirst().first
          .flatMap({ pid_t($0) })
      else { return nil }
      return (id, parent)
    }
    let children = parents.filter { $0.1 == parent }.map(\.0)
    return children + children.flatMap { descendants(of: $0) }
  }
}

extension Duration {
  fileprivate var seconds: Double { self / .seconds(1) }
}
