/// Whose calls are counted.
public enum CountingReach: Sendable, Hashable {
  /// The calls of the task that counts, and of tasks that were started in its body, as with a
  /// task-local value. Outside of a task, the calls of the thread.
  ///
  /// Dispatch queues, event loops, threads of one's own and detached tasks are out of its reach.
  case task

  /// Every call in the process.
  case process
}

/// The calls of the thread that counts, for bodies that do not suspend. It costs least.
public struct CountingThreadReach: Sendable, Hashable {
  /// Calls of this thread.
  public static let thread = CountingThreadReach()
}
