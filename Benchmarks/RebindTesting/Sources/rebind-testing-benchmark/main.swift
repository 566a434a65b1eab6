/// Measures a call of a function: not rebound, rebound by a test that does not reach the caller, and
/// rebound by one that does. Each is measured alone, and some on 64 threads at once.

import Glibc
import RebindTesting

/// The best of several runs, in nanoseconds a call of `toupper`.
func nanosecondsPerCall(_ name: String) {
  let calls = 1_000_000
  let clock = ContinuousClock()
  var sum: CInt = 0
  let best = (0..<15).map { _ in
    clock.measure {
      for call in 0..<calls { sum &+= toupper(CInt(truncatingIfNeeded: call & 127)) }
    }
  }.min()!
  guard sum != 0 else { fatalError("toupper returned nothing but 0") }
  report(name, best, calls: calls)
}

/// The same on 64 threads at once: wall time over the calls of all. The results are used, so that no call is left out.
func nanosecondsPerCallOfThreads(_ name: String) {
  let calls = 200_000
  let best = (0..<5).map { _ in
    ContinuousClock().measure {
      let threads = (0..<64).map { _ in
        var thread = pthread_t()
        pthread_create(
          &thread, nil,
          { _ in
            var sum = 0
            for call in 0..<200_000 { sum &+= Int(toupper(CInt(truncatingIfNeeded: call & 127))) }
            return UnsafeMutableRawPointer(bitPattern: sum)
          }, nil)
        return thread
      }
      for thread in threads { pthread_join(thread, nil) }
    }
  }.min()!
  report(name, best, calls: 64 * calls)
}

func report(_ name: String, _ duration: Duration, calls: Int) {
  let (seconds, attoseconds) = duration.components
  let nanoseconds = (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(calls)
  let tenths = Int((nanoseconds * 10).rounded())
  print("\(name): \(tenths / 10).\(tenths % 10) ns a call")
}

nanosecondsPerCall("not rebound")

/// Begins and ends a scope, which no call meets.
func microsecondsPerScope(_ name: String, scopes: Int) throws {
  let duration = try ContinuousClock().measure {
    for _ in 0..<scopes { try withFailing("tolower", mayNotStrike: true) {} }
  }
  let (seconds, attoseconds) = duration.components
  let nanoseconds = (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(scopes)
  print("\(name): \(Int(nanoseconds / 10) / 100).\(Int(nanoseconds / 10) % 100) µs a scope")
}

try withFailing("getppid") { _ = getppid() }  // The types and the memory of the first scope of all.
guard tolower(65) == 97 else { fatalError("tolower") }
try microsecondsPerScope("a function's first scope", scopes: 1)
try microsecondsPerScope("a later scope", scopes: 1000)

let step: CInt = CommandLine.argc
try await withRebinding("toupper", { (original, character: CInt) -> CInt in character + step }) {
  nanosecondsPerCall("handler that captures")
  await Task.detached { nanosecondsPerCall("another task, out of reach") }.value
  nanosecondsPerCallOfThreads("64 threads, out of reach")
}

try withRebinding("toupper", { (original, character: CInt) -> CInt in original(character) + step })
{
  nanosecondsPerCall("handler that calls the original")
}

try withRebinding("toupper", reach: .process, { (original, character: CInt) -> CInt in character })
{
  nanosecondsPerCall("handler for the process")
  nanosecondsPerCallOfThreads("64 threads, handler for the process")
}

try withFailing("toupper", onCall: Int.max, mayNotStrike: true) {
  nanosecondsPerCall("failing at a later call")
}

nanosecondsPerCall("without a scope, after one")

/// The best of several runs, in nanoseconds a read of nothing.
@Sendable func nanosecondsPerRead(_ name: String) {
  let calls = 100_000
  let file = open("/dev/null", O_RDONLY)
  var byte: UInt8 = 0
  let best = (0..<10).map { _ in
    ContinuousClock().measure { for _ in 0..<calls { _ = read(file, &byte, 0) } }
  }.min()!
  close(file)
  report(name, best, calls: calls)
}

await Task.detached { nanosecondsPerRead("read, not rebound") }.value
_ = try await findingBlockingCalls(reach: .process) {
  await Task.detached { nanosecondsPerRead("read on the pool, looked at for blocking") }.value
  await MainActor.run { nanosecondsPerRead("read on another thread, looked at for blocking") }
}

/// The best of several runs, in nanoseconds a random number.
@Sendable func nanosecondsPerNumber(_ name: String) {
  let calls = 100_000
  var sum: UInt64 = 0
  let best = (0..<21).map { _ in
    ContinuousClock().measure {
      for _ in 0..<calls { sum &+= UInt64.random(in: 0...UInt64.max) }
    }
  }.min()!
  guard sum != 0 else { fatalError("no number was random") }
  report(name, best, calls: calls)
}

nanosecondsPerNumber("a random number")
try await withSeededRandom(1) {
  nanosecondsPerNumber("a random number, seeded")
  await Task.detached { nanosecondsPerNumber("a random number, out of the seed's reach") }.value
}

/// The nanoseconds that a pair of open and close takes.
@Sendable func nanosecondsPerPair(_ path: String) -> Double {
  let pairs = 2000
  let duration = ContinuousClock().measure {
    for _ in 0..<pairs { close(open(path, O_RDONLY)) }
  }
  return duration / .nanoseconds(1) / Double(pairs)
}

/// By turns, so that whatever else the machine does meets all of them: the medians of 21.
for path in ["/dev/null", "/etc/passwd"] {
  var plain: [Double] = []
  var inReach: [Double] = []
  var outOfReach: [Double] = []
  var ofRecording: [Double] = []
  for _ in 0..<21 {
    plain.append(nanosecondsPerPair(path))
    _ = try await findingDescriptorLeaks {
      inReach.append(nanosecondsPerPair(path))
      outOfReach.append(await Task.detached { nanosecondsPerPair(path) }.value)
    }
    try await withRecordedCalls(of: "open", "close") { _ in
      ofRecording.append(await Task.detached { nanosecondsPerPair(path) }.value)
    }
  }
  for (name, times) in [
    ("without a scope", plain), ("looked at for leaks", inReach),
    ("out of the reach of that", outOfReach), ("out of a recording's reach", ofRecording),
  ] {
    print("open and close of \(path), \(name): \(Int(times.sorted()[10])) ns a pair")
  }
}
