#if os(Linux) && !REBIND_ELSEWHERE
/// A rebinding and its replacement: a part of a batch. `Rebinding.replaced(by:)` makes one.
public struct Replacement: Sendable {
  let request: RebindingRequest
  let storage: RebindingStorage
}

extension Replacement: CustomStringConvertible {
  /// `replacement of open`.
  public var description: String { "replacement of \(request.name)" }
}
#endif
