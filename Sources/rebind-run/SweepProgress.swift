#if Commands

import Glibc

/// Says how far a sweep is, on standard error: in one line of a terminal, else every ten seconds.
struct SweepProgress {
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private var total = 0
  private var done = 0
  private var begin: UInt64 = 0
  private var last: UInt64 = 0

  mutating func begin(_ total: Int) {
    (self.total, begin, last) = (total, now(), now())
  }

  mutating func step(findings: Int) {
    done += 1
    let time = now()
    guard time - last > (isTerminal ? 200_000_000 : 10_000_000_000) else { return }
    last = time
    let seconds = Double(time - begin) / 1e9
    let rate = Double(done) / seconds
    let left = Int(Double(max(total - done, 0)) / rate)
    let text =
      "\(done) of \(total) runs, \(Int(rate)) a second, \(left) s left, \(plural(findings, "finding"))"
    Destination.standardError.write(isTerminal ? "\r\u{1b}[K\(text)" : "rebind-run: \(text)\n")
  }

  func end() {
    if isTerminal, last != begin { Destination.standardError.write("\r\u{1b}[K") }
  }
}

#endif
