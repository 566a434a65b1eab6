/// Whose calls a test's hook acts for, or a counter counts: ``task``, ``thread`` or ``process``.
///
/// `Body` tells which bodies a reach is for: a body that may suspend can go on on another thread, so the
/// compiler refuses `.thread` there. You rarely write it:
///
/// ```swift
/// let reach: Reach = .process
/// let counts = try countingAllocations(reach: reach) { [1, 2, 3] }
/// ```
///
/// Code under test may hand its work to other threads. Blocks that it puts on Dispatch queues stay
/// in the reach of ``task``. Dispatch's work items and sources, most of URLSession, NIO's event
/// loops, threads of its own and detached tasks are out of reach. ``thread`` reaches none of these.
public struct Reach<Body>: Sendable, Hashable {
  @usableFromInline package let kind: ReachKind
}

/// A reach without its type.
@usableFromInline
package enum ReachKind: Sendable {
  case task, thread, process
}

/// The bodies of a reach that is for all of them, whether they suspend or not.
public enum AnyBody {}

/// The bodies of a reach that is only for those that do not suspend.
public enum SynchronousBody {}

extension Reach where Body == AnyBody {
  /// Calls of the task that calls the function with this argument, and of tasks that are started in its
  /// body, as with a task-local value. Outside of a task, calls of the thread.
  ///
  /// A block that is in reach when it is put on a Dispatch queue runs in reach, if it is no `DispatchWorkItem`. An
  /// `isolated deinit` has none of a task's values, so that it is out of reach.
  public static var task: Self { Self(kind: .task) }

  /// Every call in the process. A handler runs on any thread, and on several at a time.
  public static var process: Self { Self(kind: .process) }
}

extension Reach where Body == AnyBody {
  // Found where the compiler looks for a reach of any body, so that it says why.
  @available(
    *, unavailable,
    message: "the body may suspend, and go on on another thread: use .task or .process"
  )
  public static var thread: Self { fatalError() }
}

extension Reach where Body == SynchronousBody {
  /// Calls of this thread. It costs least, and a handler may change variables that it captures.
  public static var thread: Self { Self(kind: .thread) }
}

extension Reach: CustomStringConvertible {
  /// `task`, `thread` or `process`.
  public var description: String { "\(kind)" }
}
