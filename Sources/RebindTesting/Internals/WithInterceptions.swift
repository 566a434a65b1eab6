/// Runs `body` while calls are intercepted, and ends that however `body` ends.
@usableFromInline
func withInterceptions<Return>(
  _ interceptions: [Interception], reach: RebindingReach, _ body: () throws -> Return
) throws -> Return {
  let group = try ScopeGroup(interceptions, reach: reach)
  defer { group.end() }
  guard let taskScopes = group.taskScopes else { return try body() }
  return try TaskScopes.$current.withValue(taskScopes, operation: body)
}

/// As above, for a body that may suspend.
@usableFromInline
nonisolated(nonsending) func withInterceptions<Return>(
  _ interceptions: [Interception], reach: RebindingReach,
  _ body: nonisolated(nonsending) () async throws -> Return
) async throws -> Return {
  if reach == .thread, let interception = interceptions.first {
    throw RebindTestingError(code: .threadReachWhileSuspending, symbol: interception.symbol)
  }
  let group = try ScopeGroup(interceptions, reach: reach)
  defer { group.end() }
  guard let taskScopes = group.taskScopes else { return try await body() }
  return try await TaskScopes.$current.withValue(taskScopes) { try await body() }
}
