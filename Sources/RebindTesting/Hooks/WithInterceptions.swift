#if os(Linux) && !REBIND_ELSEWHERE
/// Runs `body` while calls are intercepted, and ends that however `body` ends.
@usableFromInline
func withInterceptions<Return>(
  _ interceptions: [Interception], reach: ReachKind, _ body: () throws -> Return
) throws -> Return {
  try withScopes(interceptions, reach: reach) { _ in try body() }
}

/// The same for a body that may suspend.
@usableFromInline
nonisolated(nonsending) func withInterceptions<Return>(
  _ interceptions: [Interception], reach: ReachKind,
  _ body: nonisolated(nonsending) () async throws -> Return
) async throws -> Return {
  try await withScopes(interceptions, reach: reach) { _ in try await body() }
}

/// The same with a body that is given the scopes.
func withScopes<Return>(
  _ interceptions: [Interception], reach: ReachKind, _ body: ([ActiveScope]) throws -> Return
) throws -> Return {
  let group = try ScopeGroup(interceptions, reach: reach)
  defer { group.end() }
  guard let taskScopes = group.taskScopes else { return try body(group.scopes) }
  return try TaskScopes.$current.withValue(taskScopes) { try body(group.scopes) }
}

/// The same for a body that may suspend.
nonisolated(nonsending) func withScopes<Return>(
  _ interceptions: [Interception], reach: ReachKind,
  _ body: nonisolated(nonsending) ([ActiveScope]) async throws -> Return
) async throws -> Return {
  let group = try ScopeGroup(interceptions, reach: reach)
  defer { group.end() }
  guard let taskScopes = group.taskScopes else { return try await body(group.scopes) }
  return try await TaskScopes.$current.withValue(taskScopes) { try await body(group.scopes) }
}
#endif
