public import Benchmark
public import RebindCounting

extension Benchmark {
  /// Runs `body`, and measures its allocations, retains and releases.
  ///
  /// Only the metrics that the benchmark's configuration names are kept. The benchmark fails if one of
  /// them cannot be counted in this process, or if `body` throws.
  ///
  /// The value that `body` returns lives until the counting has ended: what it holds is not freed.
  public func counted<Value, Body>(
    reach: Reach<Body> = Reach<AnyBody>.task, _ body: () throws -> Value
  ) {
    do {
      record(try countingAllocations(reach: reach, body: body))
    } catch {
      self.error("\(error)")
    }
  }

  /// The same for a body that may suspend.
  public func counted<Value>(
    reach: Reach<AnyBody> = .task, _ body: nonisolated(nonsending) () async throws -> Value
  ) async {
    do {
      record(try await countingAllocations(reach: reach, body: body))
    } catch {
      self.error("\(error)")
    }
  }

  /// A number that is not known is never 0, and never left out without a word.
  private func record(_ counts: AllocationCounts) {
    for (metric, number) in countedNumbers where configuration.metrics.contains(metric) {
      if let number = number(counts) {
        measurement(metric, number)
      } else {
        error("\(metric) cannot be counted\n\(counts)")
      }
    }
  }
}
