public import Benchmark
import RebindCounting

extension BenchmarkMetric {
  /// The blocks that `malloc` and its kind gave.
  public static let countedAllocations = custom("Allocations (counted)")
  /// The blocks that were freed.
  public static let countedFrees = custom("Frees (counted)")
  /// The bytes that `malloc` and its kind were asked for.
  public static let countedBytes = custom("Bytes asked for (counted)")
  /// The calls of `swift_allocObject`.
  public static let countedObjects = custom("Objects (counted)")
  /// The calls of `swift_retain` and its variants.
  public static let countedRetains = custom("Retains (counted)")
  /// The calls of `swift_release` and its variants.
  public static let countedReleases = custom("Releases (counted)")
}

/// The metrics that `Benchmark.counted` measures, and the number of each.
let countedNumbers: [(metric: BenchmarkMetric, number: @Sendable (AllocationCounts) -> Int?)] = [
  (.countedAllocations, \.allocations),
  (.countedFrees, \.frees),
  (.countedBytes, \.bytes),
  (.countedObjects, \.objects),
  (.countedRetains, \.retains),
  (.countedReleases, \.releases),
]

extension [BenchmarkMetric] {
  /// All metrics that `Benchmark.counted` measures.
  public static var counted: Self { countedNumbers.map(\.metric) }
}
