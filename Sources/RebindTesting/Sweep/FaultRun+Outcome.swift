#if os(Linux) && !REBIND_ELSEWHERE
internal import FaultVocabulary

extension FaultRun.Outcome: CustomStringConvertible {
  public var description: String {
    switch self {
    case .returned: "returned"
    case .threw(let error): "threw \(error)"
    case .crashed(let signal):
      "\(FindingClass.crash.rawValue): \(FindingClass.end(by: signal))"
    case .exited(let status): "exited with status \(status)"
    case .timedOut: "\(FindingClass.hang.rawValue): \(FindingClass.endByTime)"
    case .deadlocked: "\(FindingClass.hang.rawValue): it waits for ever for a lock"
    }
  }
}
#endif
