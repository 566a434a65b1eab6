#if os(Linux) && !REBIND_ELSEWHERE
internal import Synchronization

/// Batches whose owner has gone, and that could not be restored then. Another thread was in the
/// predicate of their scope, images kept being loaded, or somebody else's hook lay on top.
///
/// Nobody waits for that, as the other thread may be waiting for this one. They are restored when
/// the predicate has answered, by its thread, and else by the next call of this module.
enum LeftBatches {
  private struct Left {
    let batch: ActiveBatch
    let replacements: [Replacement]
  }

  private static let batches = Mutex<[Left]>([])
  /// Separate from the lock, which the usual case, none, need not take.
  private static let count = Atomic<Int>(0)

  /// Restores a batch, or keeps it to be restored.
  static func restoreOrLeave(_ batch: ActiveBatch, _ replacements: [Replacement]) {
    let predicate = batch.scopePredicate
    if restore(Left(batch: batch, replacements: replacements)) { return }
    // It may have answered just before it was left, and then nobody comes.
    if let predicate, !predicate.isAsked { restore() }
  }

  /// Restores those that can be.
  static func restore() {
    guard count.load(ordering: .sequentiallyConsistent) != 0 else { return }
    let taken = batches.withLock { batches in
      defer { batches = [] }
      return batches
    }
    count.subtract(taken.count, ordering: .sequentiallyConsistent)
    for left in taken { _ = restore(left) }
  }

  /// False if it is left for later.
  private static func restore(_ left: Left) -> Bool {
    do throws(RebindError) {
      _ = try left.batch.restore()
      release(left.replacements)
      return true
    } catch {
      // A refused mprotect stays refused, and nobody is left to report it to.
      guard [.predicateRuns, .busy, .covered].contains(error.code) else { return true }
      batches.withLock { $0.append(left) }
      count.add(1, ordering: .sequentiallyConsistent)
      return false
    }
  }
}
#endif
