#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindCounting

/// A scope of C, and the counters that are in place for it, from before it begins until nothing leads
/// to it any more.
final class CountingScope: Sendable {
  /// The `crebind_counting_scope *`.
  ///
  /// Not checked, because C's memory has no type that says it: several threads write there by atomic
  /// operations alone, and the rest is constant while the scope is active. It is freed with this object,
  /// when no reference is left that another thread could use.
  nonisolated(unsafe) let pointer: OpaquePointer
  fileprivate let kinds: CountedKinds
  /// For a scope of a task, the next older scope, which this one leads to.
  fileprivate let outer: CountingScope?

  fileprivate init(
    _ kinds: CountedKinds, reach: crebind_counting_reach, sparesTesting: Bool, findsLeaks: Bool
  ) throws(CountingError) {
    _ = Self.toldRuntime
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
    let watchesImages = kinds.contains(.callingImages) || sparesTesting
    guard !watchesImages || crebind_counting_watch_images(scope, sparesTesting),
      !kinds.contains(.sites)
        || crebind_counting_watch_sites(scope, kinds.groupBits, Self.siteLimit),
      !findsLeaks || crebind_counting_watch_leaks(scope)
    else {
      installed.forEach(crebind_counting_uninstall)
      crebind_counting_free(scope)
      throw CountingError.outOfMemory
    }
    self.kinds = kinds
    pointer = scope
    outer = reach == CREBIND_COUNTING_TASK ? TaskCounting.current?.owner : nil
  }

  deinit { crebind_counting_free(pointer) }

  /// The most sites. They take 3.5 MB of addresses, and memory as they come.
  private static let siteLimit = 8192

  /// An address in the image that has Swift's runtime: a type of the standard library is there.
  static var runtime: UnsafeRawPointer {
    // A type's value is the address of its metadata.
    unsafeBitCast(Int.self as Any.Type, to: UnsafeRawPointer.self)
  }

  private static let toldRuntime: Void = crebind_counting_set_runtime(runtime)
}

/// A reference to a scope of which the machinery alone decides when it ends: where calls are not counted.
struct HeldScope {
  private let scope: Unmanaged<CountingScope>
  let pointer: OpaquePointer

  /// - Parameters:
  ///   - sparesTesting: Leaves calls alone that the testing libraries make.
  ///   - findsLeaks: Keeps the blocks that nobody frees.
  init(
    _ kinds: CountedKinds, reach: crebind_counting_reach, sparesTesting: Bool = false,
    findsLeaks: Bool = false
  ) throws(CountingError) {
    scope = try uncounted { () throws(CountingError) in
      if reach == CREBIND_COUNTING_TASK {
        _ = TaskCounting.key
        _ = QueuedBlocks.followed
      }
      return Unmanaged.passRetained(
        try CountingScope(
          kinds, reach: reach, sparesTesting: sparesTesting, findsLeaks: findsLeaks))
    }
    pointer = scope._withUnsafeGuaranteedRef(\.pointer)
  }

  /// The task-local value that leads to the scope.
  var taskValue: TaskCounting { TaskCounting(scope.takeUnretainedValue()) }

  /// The scope that the task-local value has led to so far.
  var outer: OpaquePointer? { scope._withUnsafeGuaranteedRef { $0.outer?.pointer } }

  /// Reads the counts, and gives the scope back.
  func finish() -> AllocationCounts {
    let counts = AllocationCounts(of: pointer, kinds: scope._withUnsafeGuaranteedRef(\.kinds))
    giveBack()
    return counts
  }

  /// Gives the scope back. The slots lead to the counters for as long as the program runs.
  func giveBack() {
    uncounted {
      scope._withUnsafeGuaranteedRef(\.kinds).groups.forEach(crebind_counting_uninstall)
    }
    releaseUncounted(scope)
  }
}

/// The scopes that count a task's calls, as a task-local value.
///
/// C reads the first field: it is where the value's bytes begin. A task that outlives the scopes keeps
/// them by the other, though they have ended. The value is never set to nil, whose bytes would not begin
/// with a pointer to a scope.
struct TaskCounting: Sendable {
  /// The youngest scope's `crebind_counting_scope *`, which leads to the older ones.
  ///
  /// Not checked: it is the pointer of `owner`, which threads may share. Each copy of this value has the
  /// owner, which keeps the older scopes, too.
  nonisolated(unsafe) private let youngest: OpaquePointer
  fileprivate let owner: CountingScope

  fileprivate init(_ scope: CountingScope) {
    youngest = scope.pointer
    owner = scope
  }

  @TaskLocal static var current: TaskCounting?

  /// Tells C where to look for it.
  static let key: Void = {
    precondition(MemoryLayout<TaskCounting>.offset(of: \.youngest) == 0, "C reads the first field")
    // A task-local value's key is the address of its declaration, an object that is never freed.
    crebind_counting_set_task_key(Unmanaged.passUnretained($current).toOpaque())
    crebind_counting_follow_queues(QueuedBlocks.type(of: $current))
  }()
}

/// Runs code whose calls are not counted, in no scope.
func uncounted<Result, Failure: Error>(
  _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  crebind_counting_suppress_begin()
  defer { crebind_counting_suppress_end() }
  return try body()
}

/// Gives up a reference, with calls that are not counted. The compiler moves no release out of here.
@inline(never)
func releaseUncounted<Object>(_ reference: Unmanaged<Object>) {
  crebind_counting_suppress_begin()
  reference.release()
  crebind_counting_suppress_end()
}
#endif
