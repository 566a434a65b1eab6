#if Commands

import Glibc

/// How far the work is, on the last line of a terminal.
///
/// One thread at a time uses it: the one that writes the output.
final class ProgressBar: Sendable {
  // Safe for that reason, and so is the next.
  private nonisolated(unsafe) var isShown = false
  /// When it was last changed, in seconds.
  private nonisolated(unsafe) var last = ProgressBar.now

  /// Nil if standard error is no terminal, or one that cannot move its cursor.
  init?() {
    guard isatty(STDERR_FILENO) != 0, !TextStyle.isDumb else { return nil }
  }

  /// Shows that so many are done, unless it has just shown a number.
  func show(_ done: Int, of total: Int) {
    let now = Self.now
    guard now - last >= Self.interval else { return }
    last = now
    isShown = true
    let filled = total == 0 ? Self.width : Self.width * done / total
    let bar = String(repeating: "#", count: filled)
    let rest = String(repeating: ".", count: Self.width - filled)
    Self.write("\r[\(bar)\(rest)] \(done)/\(total)\u{1B}[K")
  }

  /// Makes the line empty, for what else is written on the terminal.
  func clear() {
    if isShown { Self.write("\r\u{1B}[K") }
    isShown = false
  }

  private static func write(_ text: String) {
    var line = OutputBuffer(descriptor: STDERR_FILENO)
    line.append(text: text)
    line.flush()
  }

  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static let interval = 0.1
  private static let width = 32
}

#endif
