/// The calls that a rebinding of a test acts for. All others reach the original.
public enum RebindingReach: Sendable, Hashable {
  /// Calls of the task that made the rebinding, and of tasks that were started in
  /// its body, as with a task-local value. Outside of a task, calls of the thread.
  case task

  /// Calls of the thread that made the rebinding. For bodies that do not suspend.
  case thread

  /// Every call in the process. The handler runs on any thread, and on several at a time:
  /// what it captures has to allow for that.
  case process
}
