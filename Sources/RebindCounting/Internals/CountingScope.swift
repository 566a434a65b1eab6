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
  private let kinds: CountedKinds

  /// - Parameter sparesTesting: Leaves calls alone that the testing libraries make.
  init(
    _ kinds: CountedKinds, reach: crebind_counting_reach, sparesTesting: Bool = false
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
        || crebind_counting_watch_sites(scope, kinds.groupBits, Self.siteLimit)
    else {
      installed.forEach(crebind_counting_uninstall)
      crebind_counting_free(scope)
      throw CountingError.outOfMemory
    }
    self.kinds = kinds
    pointer = scope
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
/// them by the other, though they have ended. The value is never set to nil, whose bytes would not begin
/// with a pointer to a scope.
struct TaskCounting: Sendable {
  /// The youngest scope's `crebind_counting_scope *`, which leads to the older ones.
  ///
  /// Not checked: it is the pointer of the owner's ``CountingScope``, which threads may share. Each copy of
  /// this value has the owner, which keeps that scope and the older ones.
  nonisolated(unsafe) private let youngest: OpaquePointer
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
  static let key: Void = {
    precondition(MemoryLayout<TaskCounting>.offset(of: \.youngest) == 0, "C reads the first field")
    // A task-local value's key is the address of its declaration, an object that is never freed.
    crebind_counting_set_task_key(Unmanaged.passUnretained($current).toOpaque())
  }()

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
