import Foundation
import Synchronization
public import Testing

/// Measures the tests of a suite while they run, and ends a run that hangs.
///
/// Swift Testing counts the time that a test waits for a free thread too: nearly all tests of a run
/// "finish" at its end. Here a test case begins when its body does. `Scripts/test`, which prints
/// the times, runs two test cases for each core. Without that, the body of an asynchronous test
/// waits as well: so it alone has tests measured, by `REBIND_TEST_TIMES`. That names the file of
/// times, which has a line as a case begins, with its test, and one as it ends.
public struct Measured: SuiteTrait, TestTrait, TestScoping {
  /// The processor time that a run may use on each processor while a test case runs, in seconds.
  fileprivate var limit: Double

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
  /// Measures the suite's tests. A run that uses no processor time for a minute ends, and so does one that has used
  /// ten minutes of each processor since a case began.
  public static var measured: Self { measured(limit: 600) }

  /// The same with a limit of its own, in seconds of processor time.
  public static func measured(limit: Double) -> Self { Measured(limit: limit) }
}

/// The test cases that run now.
private enum RunningCases {
  private struct Case {
    var test: Test.ID
    var start: ContinuousClock.Instant
    /// The processor time that the run may have used when the case ends.
    var limit: Double
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

  static func begin(_ test: Test.ID, limit: Double) -> Int {
    // Other cases run meanwhile, one for each processor.
    let limit = limit * Double(ProcessInfo.processInfo.activeProcessorCount)
    let used = Watch.runHasUsed
    let number = state.withLock { state in
      state.begun += 1
      state.cases[state.begun] = Case(test: test, start: .now, limit: used + limit)
      return state.begun
    }
    record("\(test)\n")
    if number == 1 { Watch.each { endOverdueRun($0) } }
    return number
  }

  static func end(_ number: Int) {
    let ended = state.withLock { $0.cases.removeValue(forKey: number) }
    guard let ended else { return }
    record("\(ended.test)\t\((ended.start - start).seconds)\t\((.now - start).seconds)\n")
  }

  /// Adds a line to the file of times: in one write, since other threads write too.
  private static func record(_ line: String) {
    _ = Array(line.utf8).withUnsafeBytes { write(times, $0.baseAddress, $0.count) }
  }

  /// Ends this process, and those that it has started, where a case never ends: a test that waits for
  /// a process cannot be cancelled.
  private static func endOverdueRun(_ processes: Processes) {
    let (used, hang) = (Watch.runHasUsed, Watch.reasonOfRun)
    let cases = state.withLock { Array($0.cases.values) }
    let overdue = hang == nil ? cases.filter { used > $0.limit } : cases
    guard hang != nil || !overdue.isEmpty else { return }
    let why = hang ?? "the run has used its limit of processor time since this began"
    func tell(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }
    for one in overdue { tell("✘ \(one.test) does not end (\(why)), so the run ends.") }
    for child in processes.descendants(of: getpid()) {
      // Nothing is there of one that has ended.
      let command = (try? Data(contentsOf: URL(filePath: "/proc/\(child)/cmdline"))) ?? Data()
      guard !command.isEmpty else { continue }
      tell(
        "  it leaves process \(child): \(String(decoding: command, as: UTF8.self).replacing("\0", with: " "))"
      )
    }
    for child in processes.descendants(of: getpid()) { kill(child, SIGKILL) }
    _exit(1)
  }
}

extension Duration {
  fileprivate var seconds: Double { self / .seconds(1) }
}
