#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindReach
internal import CRebindTesting
public import RebindCounting

/// The calls that blocked threads of Swift's pool, or of the main actor.
public struct BlockingCalls: Sendable, Hashable {
  /// Calls of a function that came by the same way.
  public struct Site: Sendable, Hashable {
    /// The function that was called, such as `usleep`; `syscall` for a futex.
    public let function: String
    /// The group that the calls are of.
    public let group: BlockingGroup
    /// How often a call from here has blocked.
    public let calls: Int
    /// How long these calls took together, and the longest of them.
    public let total, longest: Duration
    /// The backtrace: the caller first.
    ///
    /// For asynchronous code, these are the frames on the thread's stack. Functions that await others
    /// are not on it.
    public let frames: [AllocationCounts.Frame]
    /// Whether frames are missing at the end.
    public let isCut: Bool
  }

  /// The sites, those that took longest first.
  public let sites: [Site]
  /// The calls whose backtraces were not kept, as there were too many, and those whose ends could not be seen.
  public let callsWithoutSite: Int

  /// How often a call has blocked.
  public var calls: Int { sites.reduce(callsWithoutSite) { $0 + $1.calls } }
  /// How long these calls took together.
  public var total: Duration { sites.reduce(.zero) { $0 + $1.total } }
}

extension BlockingCalls {
  /// Reads what a scope has found.
  ///
  /// - Parameter areUnderWay: Whether calls that have not returned are among them.
  init(of scope: ActiveScope, _ search: BlockingSearch, areUnderWay: Bool = false) {
    let table = crebind_testing_blocking_sites(scope.pointer)
    var found: [(site: crebind_reach_site, addresses: [UInt])] =
      areUnderWay ? callsUnderWay(in: scope) : []
    var position = 0
    var site = crebind_reach_site()
    while crebind_reach_next_site(table, &position, &site) {
      found.append((site, Array(UnsafeBufferPointer(start: site.frames, count: site.frame_count))))
    }
    let frames = AllocationCounts.Frame.all(at: Set(found.flatMap(\.addresses))) {
      crebind_reach_is_certain(table, $0)
    }
    sites = found.map { site, addresses in
      let function = search.functions[Int(site.function / 2)]
      return Site(
        function: function.name, group: site.function % 2 == 1 ? .locks : function.group,
        calls: Int(site.calls), total: .nanoseconds(Int64(clamping: site.amount)),
        longest: .nanoseconds(Int64(clamping: site.greatest)),
        frames: addresses.flatMap { frames[$0] ?? [] }, isCut: site.is_cut)
    }.filter { !search.allows($0) }
      .sorted { ($0.total, $1.function) > ($1.total, $0.function) }
    callsWithoutSite =
      Int(crebind_reach_dropped_calls(table)) + Int(crebind_testing_blocking_unseen(scope.pointer))
  }
}

/// A site for each call that has not returned, with its caller alone.
private func callsUnderWay(
  in scope: ActiveScope
) -> [(site: crebind_reach_site, addresses: [UInt])] {
  var found: [(site: crebind_reach_site, addresses: [UInt])] = []
  var position = 0
  var call = crebind_testing_under_way()
  while crebind_testing_blocking_next(scope.pointer, &position, &call) {
    var site = crebind_reach_site()
    (site.function, site.calls, site.is_cut) = (call.function, 1, true)
    (site.amount, site.greatest) = (call.nanoseconds, call.nanoseconds)
    found.append((site, [UInt(bitPattern: call.caller)]))
  }
  return found
}

extension BlockingCalls.Site: CustomStringConvertible {
  /// The numbers, and a line for each frame. The last frames are only counted if they belong to libraries
  /// that call all code.
  ///
  /// ```
  /// usleep blocked the thread for 12.3 ms in 1 call
  ///   loads() at LoadTests.swift:4 (the program)
  /// ```
  public var description: String {
    let name = function == "syscall" ? "a futex (syscall)" : function
    let longest = calls > 1 ? ", \(milliseconds(longest)) at most" : ""
    let numbers =
      "\(name) blocked the thread for \(milliseconds(total)) in \(calls) "
      + (calls == 1 ? "call" : "calls") + longest
    return ([numbers] + frames.lines(limit: 16, isCut: isCut)).joined(separator: "\n")
  }
}

extension BlockingCalls: CustomStringConvertible {
  /// The sites, and the sums.
  public var description: String {
    guard calls > 0 else { return "no call blocked a thread" }
    let sum = "\(calls) blocking \(calls == 1 ? "call" : "calls"), \(milliseconds(total))"
    let rest =
      callsWithoutSite > 0 ? ["\(callsWithoutSite) of them without a backtrace"] : []
    return ([sum] + rest + sites.map(\.description)).joined(separator: "\n")
  }
}

/// `12.3 ms`.
private func milliseconds(_ duration: Duration) -> String {
  let (seconds, attoseconds) = duration.components
  let tenths = (seconds * 10_000) + (attoseconds + 50_000_000_000_000) / 100_000_000_000_000
  return "\(tenths / 10).\(tenths % 10) ms"
}
#endif
