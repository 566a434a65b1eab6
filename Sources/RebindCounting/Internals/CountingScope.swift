internal import CRebindCounting

/// A scope of C, and the counters that are in place for it, from before it begins until nothing leads
/// to it any more.
///
/// Sendable, because its state is C's, which is atomic or constant.
final class CountingScope: @unchecked Sendable {
  /// The `crebind_counting_scope *`.
  let pointer: OpaquePointer
  private let kinds: CountedKinds

  /// - Parameter sparesTesting: Leaves calls alone that the testing libraries make.
  init(
    _ kinds: CountedKinds, reach: crebind_counting_reach, sparesTesting: Bool = false
  ) throws(CountingError) {
    var installed: [crebind_counting_group] = []
    for group in kinds.groups {
      let status = crebind_counting_install(group)
      guard status == 0 else {
        installed.forEach(crebind_counting_uninstall)
        throw CountingError(status: status)
      }
      installed.append(group)
    }
    guard let scope = crebind_counting_make(reach) else {
      installed.forEach(crebind_counting_uninstall)
      throw CountingError.outOfMemory
    }
    let watches = kinds.contains(.callingImages) || sparesTesting
    if watches, reach == CREBIND_COUNTING_TASK {
      guard crebind_counting_watch_images(scope, sparesTesting) else {
        installed.forEach(crebind_counting_uninstall)
        crebind_counting_free(scope)
        throw CountingError.outOfMemory
      }
    }
    self.kinds = kinds
    pointer = scope
  }

  deinit { crebind_counting_free(pointer) }

  /// Reads the counts, and gives the slots back.
  func finish() -> AllocationCounts {
    let counts = AllocationCounts(of: pointer, kinds: kinds)
    giveBack()
    return counts
  }

  /// Gives the slots back.
  func giveBack() { kinds.groups.forEach(crebind_counting_uninstall) }
}

/// The scopes that count a task's calls, as a task-local value.
///
/// C reads the first field: it is where the value's bytes begin. A task that outlives the scopes keeps
/// them by the others, though they have ended.
struct TaskCounting: @unchecked Sendable {
  /// The youngest scope's `crebind_counting_scope *`, which leads to the older ones.
  private let youngest: OpaquePointer
  private let owner: Owner

  private final class Owner: Sendable {
    let scope: CountingScope
    let outer: Owner?

    init(_ scope: CountingScope, outer: Owner?) {
      self.scope = scope
      self.outer = outer
    }
  }

  init(_ scope: CountingScope, inside outer: TaskCounting?) {
    youngest = scope.pointer
    owner = Owner(scope, outer: outer?.owner)
  }

  @TaskLocal static var current: TaskCounting?

  /// Tells C where to look for it.
  static let key: Void = crebind_counting_set_task_key(
    // A task-local value's key is the address of its declaration, an object.
    unsafeBitCast($current, to: UnsafeRawPointer.self))

  /// The youngest scope of this task.
  static var scope: OpaquePointer? { current?.youngest }
}

/// Runs code whose calls are not counted, in no scope.
func uncounted<Result, Failure: Error>(
  _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  crebind_counting_suppress_begin()
  defer { crebind_counting_suppress_end() }
  return try body()
}
