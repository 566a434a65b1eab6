/// A rebinding and the function that its callers shall reach: what a batch is made
/// of. `Rebinding.replaced(by:)` makes one.
public struct Replacement: Sendable {
  let request: RebindingRequest
  let storage: RebindingStorage
}

extension Replacement: CustomStringConvertible {
  /// `replacement of open`.
  public var description: String { "replacement of \(request.name)" }
}
