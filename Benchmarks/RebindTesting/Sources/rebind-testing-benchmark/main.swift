/// Measures a call of a function: not rebound, rebound by a test that does not reach the caller,
/// and rebound by one that does.

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
  let nanoseconds = Double(best.components.attoseconds) / 1e9 / Double(calls)
  let digits = "\(Int((nanoseconds * 10).rounded()))"
  print(
    "\(name): \(digits.dropLast().isEmpty ? "0" : digits.dropLast()).\(digits.suffix(1)) ns a call")
}

nanosecondsPerCall("not rebound")

var calls = 0
try await withRebinding(
  "toupper",
  { (original, character: CInt) -> CInt in
    calls += 1
    return character
  }
) {
  nanosecondsPerCall("handler that captures")
  await Task.detached { nanosecondsPerCall("another task, out of reach") }.value
}

try withRebinding(
  "toupper",
  { (original, character: CInt) -> CInt in
    calls += 1
    return original(character)
  }
) {
  nanosecondsPerCall("handler that calls the original")
}

try withRebinding(
  "toupper", reach: .process,
  { (original, character: CInt) -> CInt in
    character
  }
) {
  nanosecondsPerCall("handler for the process")
}

try withFailing("toupper", onCall: .max) {
  nanosecondsPerCall("failing at a later call")
}

nanosecondsPerCall("restored")
