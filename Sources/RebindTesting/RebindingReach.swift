/// The calls that a rebinding of a test acts for. All others reach the original.
///
/// Code under test may hand its work to other threads: URLSession, Dispatch queues, NIO's event
/// loops, threads of its own and detached tasks are out of the reach of ``task``.
public enum RebindingReach: Sendable, Hashable {
  /// Calls of the task that made the rebinding, and of tasks that were started in
  /// its body, as with a task-local value. Outside of a task, calls of the thread.
  case task

  /// Every call in the process. The handler runs on any thread, and on several at a time.
  case process
}

/// The calls of the thread that made the rebinding, for bodies that do not suspend.
///
/// The handler runs on that thread alone, so that it may change variables that it captures.
public struct ThreadReach: Sendable, Hashable {
  /// Calls of this thread.
  public static let thread = ThreadReach()
}

/// Whose calls a scope acts for.
@usableFromInline
enum ScopeReach: Sendable {
  case task, thread, process

  @usableFromInline
  init(_ reach: RebindingReach) {
    self = reach == .task ? .task : .process
  }
}
