#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindTesting
internal import RebindCounting

/// A search for blocking calls: the functions that it looks at, and those that may block all the same.
struct BlockingSearch: Sendable {
  let functions: [BlockingFunction]
  private let threshold: Duration
  private let groups: Set<BlockingGroup>
  private let images: Set<String>
  private let threads: BlockingThreads

  /// - Throws: `RebindTestingError` for an allowed function that is not looked at.
  init(
    over threshold: Duration, including: [BlockingGroup], allowing: [BlockingAllowance],
    on threads: BlockingThreads
  ) throws(RebindTestingError) {
    var groups = BlockingGroup.usual.union(including)
    var names: Set<String> = []
    var images: Set<String> = []
    for allowance in allowing {
      switch allowance.kind {
      case .group(let group): groups.remove(group)
      case .image(let image): images.insert(image)
      case .function(let name):
        guard BlockingFunction.all.contains(where: { $0.name == name }) else {
          throw RebindTestingError(code: .notBlocking, symbol: name)
        }
        names.insert(name)
      }
    }
    let wanted = BlockingGroup.usual.union(including)
    functions = BlockingFunction.all.filter { $0.isOf(wanted) }.map {
      // Others that it calls to wait may block as well.
      names.contains($0.name) || !$0.isOf(groups) ? $0.allowed : $0
    }
    (self.threshold, self.groups, self.images, self.threads) = (threshold, groups, images, threads)
  }

  func interception() -> Interception {
    Interception(
      symbols: functions.map(\.name), kind: .blocking(self), mayBeUncalled: true,
      mayBeUndefined: true)
  }

  /// The scope in C; nil if memory runs out.
  func makeScope(on hooks: [OpaquePointer]) -> OpaquePointer? {
    // A Duration may be longer than the nanoseconds of 64 bits.
    let (seconds, attoseconds) = min(max(threshold, .zero), .seconds(9_000_000_000)).components
    let settings = crebind_testing_blocking(
      jobs: threads.rawValue,
      threshold: UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000),
      includes_locks: groups.contains(.locks), includes_waits: groups.contains(.waiting))
    return crebind_testing_blocking_scope(
      hooks, functions.map(\.rule), hooks.count, settings)
  }

  /// Whether the image that made the calls may block.
  func allows(_ site: BlockingCalls.Site) -> Bool {
    site.frames.first?.isIn(images) == true
  }
}

extension AllocationCounts.Frame {
  /// Whether the frame is of one of some images, named by path or file name.
  func isIn(_ images: Set<String>) -> Bool {
    guard let image else { return false }
    let path = image.isEmpty ? CommandLine.arguments.first ?? "" : image
    let file = path.split(separator: "/").last.map(String.init) ?? path
    return images.contains(path) || images.contains(file)
  }
}
#endif
