import AtomicCounter
import Glibc
import RebindCounting

/// The numbers of one run, by one counter.
private struct Counts: Equatable {
  var allocations: Int?
  var frees: Int?
  var bytes: Int?
}

/// Stands in for the function that swift-nio's tests call. It counts each run with both counters, prints a
/// line, and ends the program with an error if they differ.
func measure(identifier: String, trackFDs: Bool = false, _ body: () -> Int) {
  // The first run warms up, also in swift-nio.
  _ = body()
  waitForOtherThreads()
  var areEqual = true
  for run in 1...10 {
    let (nio, rebind) = count(body)
    areEqual = areEqual && nio == rebind
    print("\(run)\t\(text(nio))\t\(text(rebind))\t\(nio == rebind ? "equal" : "DIFFERENT")")
  }
  guard areEqual else { exit(1) }
}

private func count(_ body: () -> Int) -> (nio: Counts, rebind: Counts) {
  var nio = Counts()
  do {
    // Event loops have threads of their own.
    let counts = try countingAllocations(of: .memory, reach: .process) {
      reset_malloc_counter()
      reset_free_counter()
      reset_malloc_bytes_counter()
      _ = body()
      waitForOtherThreads()
      nio = Counts(
        allocations: read_malloc_counter(), frees: read_free_counter(),
        bytes: read_malloc_bytes_counter())
    }
    if counts.allocations == nil { print(counts) }
    return (nio, Counts(allocations: counts.allocations, frees: counts.frees, bytes: counts.bytes))
  } catch {
    print(error)
    exit(2)
  }
}

/// Returns when nothing has been allocated or freed for a while.
private func waitForOtherThreads() {
  var before = (-1, -1)
  while true {
    let now = (read_malloc_counter(), read_free_counter())
    if now == before { return }
    before = now
    usleep(50_000)
  }
}

private func text(_ counts: Counts) -> String {
  [counts.allocations, counts.frees, counts.bytes].map { $0.map(String.init) ?? "-" }
    .joined(separator: "\t")
}
