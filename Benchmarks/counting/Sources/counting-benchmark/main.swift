/// Measures a pair of malloc and free while it is counted: for a thread, the process or a task, and
/// beside RebindTesting's hooks. Run with `plain` it measures the pair alone, for a preloaded library.
///
/// A line is a name, a tab, and nanoseconds.

import AllocatingLoops
import Glibc
import RebindCounting
import RebindTesting

let pairs = 1_000_000
let threads: CInt = 64

func report(_ name: String, _ nanoseconds: Double) {
  let tenths = Int((nanoseconds * 10).rounded())
  print("\(name)\t\(tenths / 10).\(tenths % 10)")
}

if CommandLine.arguments.contains("plain") {
  // A tool may be many times slower.
  report("one thread", allocate(CommandLine.arguments.contains("few") ? pairs / 50 : pairs))
  if !CommandLine.arguments.contains("few") {
    report("64 threads", allocate_on_threads(threads, pairs / 20))
  }
  exit(0)
}

func measure() -> Double { allocate(pairs) }
func measureThreads() -> Double { allocate_on_threads(threads, pairs / 20) }

_ = try countingAllocations(of: .memory, reach: .thread) {
  report("counted for the thread", measure())
}
_ = try countingAllocations(of: .memory, reach: .thread) {
  report("beside a thread that counts", allocate_on_threads(1, pairs))
}
_ = try countingAllocations(of: .memory, reach: .process) {
  report("counted for the process", measure())
  report("counted for the process, 64 threads", measureThreads())
}
_ = try countingAllocations(of: [.memory, .processPeak], reach: .process) {
  report("counted for the process, with its peak", measure())
  report("counted for the process, with its peak, 64 threads", measureThreads())
}
_ = try await countingAllocations(of: .memory) {
  report("counted for the task", measure())
  await Task.detached { report("beside a task that counts", measure()) }.value
}
try await withFailing("malloc", mayNotStrike: true) {
  try await withFailing("free", mayNotStrike: true) {
    await Task.detached { report("out of reach of RebindTesting's faults", measure()) }.value
  }
}
