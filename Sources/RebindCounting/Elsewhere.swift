/// The interface of RebindCounting on other systems than Linux, so that tests that name it can be built there. Nothing is
/// counted: everything throws `unsupported`.
#if !os(Linux) || REBIND_ELSEWHERE
package let unsupportedReason: String = {
  #if os(macOS)
  let system = "macOS"
  #elseif os(Windows)
  let system = "Windows"
  #else
  let system = "another system"
  #endif
  return "Rebind works on Linux; this is \(system)"
}()

public func countingAllocations<Value, Body>(
  of kinds: CountedKinds = .standard, reach: Reach<Body> = Reach<AnyBody>.task,
  body: () throws -> Value
) throws -> AllocationCounts {
  throw CountingError(code: .unsupported, reason: unsupportedReason)
}

nonisolated(nonsending) public func countingAllocations<Value>(
  of kinds: CountedKinds = .standard, reach: Reach<AnyBody> = .task,
  body: nonisolated(nonsending) () async throws -> Value
) async throws -> AllocationCounts {
  throw CountingError(code: .unsupported, reason: unsupportedReason)
}

extension AllocationCounts: CustomStringConvertible {
  public var description: String { unsupportedReason }
}

struct FunctionCalls: Sendable, Hashable {
  subscript(function: String) -> Int? { nil }
}
#endif
