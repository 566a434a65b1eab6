#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

extension FaultRun.Outcome: CustomStringConvertible {
  public var description: String {
    switch self {
    case .returned: "returned"
    case .threw(let error): "threw \(error)"
    case .crashed(let signal):
      "crashed with signal \(signal) (\(String(cString: strsignal(signal))))"
    case .exited(let status): "exited with status \(status)"
    case .timedOut: "timed out"
    case .deadlocked: "waited for ever for a lock"
    }
  }
}
