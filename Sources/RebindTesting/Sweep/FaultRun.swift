#if os(Linux) && !REBIND_ELSEWHERE
internal import FaultVocabulary
#endif

/// One run of a sweep.
public struct FaultRun: Sendable, Hashable {
  /// The ways in which a run ends.
  public enum Outcome: Sendable, Hashable {
    /// The body returned.
    case returned
    /// The body threw an error that reads like this.
    case threw(String)
    /// A signal ended the process.
    case crashed(signal: CInt)
    /// The body ended the process, with this status.
    case exited(status: CInt)
    /// The time limit was over.
    case timedOut
    /// The process waited for a lock that nobody could open any more, in each attempt.
    case deadlocked
  }

  /// The fault of the sweep, without its call.
  public let fault: Fault

  /// The call that failed, counted from 1; nil in the run without a fault.
  public let call: Int?

  /// How the run ended.
  public let outcome: Outcome

  /// The descriptors that the body opened and did not close, in the order of the numbers.
  public let leaks: [LeakedDescriptor]

  /// The descriptors that the body closed, and closed again while they were not open, in order.
  ///
  /// Another thread may have opened a file of the same number meanwhile, and lose it. Calls of
  /// `close` through a slot are seen, and those of `fclose` and its like are not.
  public let closedTwice: [CInt]

  /// How often the run was made anew: another thread of this process held a lock that the child
  /// needed, or the first attempt took too long.
  public let repetitions: Int

  /// The run without a fault made no call that could fail, so that the sweep shows nothing.
  ///
  /// The body may make its calls on other threads, by another name of the function, or with
  /// arguments that do not fulfil the condition.
  public let madeNoCall: Bool

  /// A call failed, so that the body may throw.
  let mayThrow: Bool

  /// Whether the code under test has a fault of its own here, or the sweep shows nothing. An error
  /// that the code throws after a failed call is no finding.
  public var isFinding: Bool {
    switch outcome {
    case .returned: madeNoCall || !leaks.isEmpty || !closedTwice.isEmpty
    case .threw: !leaks.isEmpty || !closedTwice.isEmpty || !mayThrow
    case .crashed, .exited, .timedOut, .deadlocked: true
    }
  }
}

#if os(Linux) && !REBIND_ELSEWHERE
extension FaultRun: CustomStringConvertible {
  public var description: String {
    let place = call.map { "call \($0)" } ?? "without a fault"
    let leaks = leaks.map { "\(FindingClass.leftOpen.rawValue): \($0.number) (\($0.path))" }
    let closed = closedTwice.map { "\(FindingClass.closedTwice.rawValue): \($0)" }
    // The runs that end anyhow say nothing of it: whether they were repeated is chance.
    let attempts =
      outcome == .timedOut || outcome == .deadlocked ? ["in \(repetitions + 1) attempts"] : []
    let calls = madeNoCall ? ["made no call on this thread that could fail"] : []
    let facts = [outcome.description] + attempts + calls + leaks + closed
    return "\(place): \(facts.joined(separator: ", "))"
  }
}
#endif
