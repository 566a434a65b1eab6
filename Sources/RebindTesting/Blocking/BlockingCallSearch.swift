#if os(Linux) && !REBIND_ELSEWHERE
/// A search for the calls that block threads of Swift's pool, in the whole process, for as long as this lives.
///
/// ``findingBlockingCalls(over:including:allowing:on:reach:body:)`` searches while a body runs. A search like this one
/// is for what no body encloses, such as a program from its start to its exit.
///
/// ```swift
/// let search = try BlockingCallSearch()
/// try loadConfiguration()
/// print(search.found)
/// ```
///
/// It cannot be copied, so one place ends it. A global variable never ends its search. Jobs that
/// already run when the search begins are not seen; the next job of the same task is.
public struct BlockingCallSearch: ~Copyable, Sendable {
  private let search: BlockingSearch
  private let group: ScopeGroup

  /// Begins a search, also outside of a task.
  ///
  /// - Parameters:
  ///   - threshold: How long a call may take.
  ///   - groups: Groups of functions to look at beside the usual ones.
  ///   - allowances: Calls that may block.
  ///   - threads: The threads that are looked at.
  /// - Throws: `RebindTestingError`, with nothing changed.
  public init(
    over threshold: Duration = .milliseconds(1), including groups: [BlockingGroup] = [],
    allowing allowances: [BlockingAllowance] = [], on threads: BlockingThreads = .pool
  ) throws(RebindTestingError) {
    let search = try BlockingSearch(
      over: threshold, including: groups, allowing: allowances, on: threads)
    try SwiftJobs.follow()
    let group = try ScopeGroup([search.interception()], reach: .process)
    (self.search, self.group) = (search, group)
  }

  deinit { group.end() }

  /// The calls that have blocked so far. Those that have not returned have sites of their own, with the caller alone:
  /// where a program hangs, they are the reason.
  public var found: BlockingCalls {
    withOriginals { BlockingCalls(of: group.scopes[0], search, areUnderWay: true) }
  }
}
#endif
