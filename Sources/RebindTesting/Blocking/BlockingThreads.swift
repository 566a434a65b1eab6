#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindReach

/// The threads whose blocking calls are found.
public struct BlockingThreads: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: UInt32

  /// A set of its bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The threads of Swift's pool, one for each core, while they run a task or a default actor.
  public static let pool = Self(rawValue: 1 << CREBIND_REACH_POOL_JOB.rawValue)
  /// The thread of the main actor, while it runs that.
  public static let mainActor = Self(rawValue: 1 << CREBIND_REACH_MAIN_JOB.rawValue)
}
#endif
