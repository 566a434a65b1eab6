import Benchmark
import CountedMetrics

final class Node {
  let next: Node?

  init(next: Node?) { self.next = next }
}

@inline(never) func list(of count: Int) -> Node? {
  var first: Node?
  for _ in 0..<count { first = Node(next: first) }
  return first
}

actor Librarian {
  private var list: Node?

  func makeList(of count: Int) { list = Nodes.list(of: count) }
}

// Names without spaces: `benchmark thresholds check` finds no file for others.
let benchmarks: @Sendable () -> Void = {
  // Counts are the same in each run: a few are enough.
  Benchmark.defaultConfiguration = .init(
    metrics: .counted, warmupIterations: 1, maxIterations: 10)

  // The list that the body returns lives until the counting has ended.
  Benchmark("List") { benchmark in
    benchmark.counted { list(of: 1_000) }
  }

  Benchmark("OneByOne") { benchmark in
    benchmark.counted {
      for _ in 0..<1_000 { blackHole(Node(next: nil)) }
    }
  }

  Benchmark("References") { benchmark in
    let node = list(of: 1)
    var references: [Node?] = []
    references.reserveCapacity(1_000)
    benchmark.counted {
      for _ in 0..<1_000 { references.append(node) }
    }
    blackHole(references)
  }

  // A body that suspends, and goes on in another place.
  Benchmark("Actor") { benchmark in
    let librarian = Librarian()
    await benchmark.counted { await librarian.makeList(of: 1_000) }
  }
}
