#if os(Linux) && !REBIND_ELSEWHERE
/// Runs `body` while callers reach the replacement, and restores after it: also if it
/// throws, and if its task is cancelled, once it has returned.
///
/// ```swift
/// let shell = try withRebinding(Hooks.getenv.replaced { _ in nil }) { try defaultShell() }
/// ```
///
/// The rebinding is the whole process's, so other threads' calls reach the
/// replacement as well.
///
/// - Throws: The error of `body`, or `RebindError` if the rebinding cannot be applied (then `body`
///   is not called), or not be restored after `body` has returned.
public func withRebinding<Result>(
  _ replacement: Replacement, in scope: RebindingScope = .all, mayComeLater: Bool = false,
  body: () throws -> Result
) throws -> Result {
  try RebindingBatch([replacement]).whileApplied(in: scope, mayComeLater, body)
}

/// Runs `body` while callers reach the replacement, and restores after it: also if it
/// throws, and if its task is cancelled, once it has returned.
///
/// The rebinding is the whole process's, so other tasks' calls reach the replacement
/// as well.
///
/// - Throws: The error of `body`, or `RebindError` if the rebinding cannot be applied (then `body`
///   is not called), or not be restored after `body` has returned.
public nonisolated(nonsending) func withRebinding<Result>(
  _ replacement: Replacement, in scope: RebindingScope = .all, mayComeLater: Bool = false,
  body: nonisolated(nonsending) () async throws -> Result
) async throws -> Result {
  try await RebindingBatch([replacement]).whileApplied(in: scope, mayComeLater, body)
}

/// Runs `body` while several rebindings are applied, as one transaction, and restores
/// them after it: also if it throws, and if its task is cancelled, once it has
/// returned.
///
/// ```swift
/// try withRebindings {
///   Hooks.opening.replaced { path, flags, mode in -1 }
///   Hooks.closing.replaced { descriptor in 0 }
/// } body: {
///   try loadConfiguration()
/// }
/// ```
///
/// - Throws: The error of `body`, or `RebindError` if the rebindings cannot be applied (then `body`
///   is not called), or not be restored after `body` has returned.
public func withRebindings<Result>(
  in scope: RebindingScope = .all, mayComeLater: Bool = false,
  @RebindingBatchBuilder _ replacements: () -> [Replacement],
  body: () throws -> Result
) throws -> Result {
  try RebindingBatch(replacements).whileApplied(in: scope, mayComeLater, body)
}

/// Runs `body` while several rebindings are applied, as one transaction, and restores
/// them after it: also if it throws, and if its task is cancelled, once it has
/// returned.
///
/// - Throws: The error of `body`, or `RebindError` if the rebindings cannot be applied (then `body`
///   is not called), or not be restored after `body` has returned.
public nonisolated(nonsending) func withRebindings<Result>(
  in scope: RebindingScope = .all, mayComeLater: Bool = false,
  @RebindingBatchBuilder _ replacements: () -> [Replacement],
  body: nonisolated(nonsending) () async throws -> Result
) async throws -> Result {
  try await RebindingBatch(replacements).whileApplied(in: scope, mayComeLater, body)
}

extension RebindingBatch {
  fileprivate func whileApplied<Result>(
    in scope: RebindingScope, _ mayComeLater: Bool, _ body: () throws -> Result
  ) throws -> Result {
    // An error of the body leaves through the deinitialiser, which restores.
    let active = try apply(in: scope, mayComeLater: mayComeLater)
    let result = try body()
    _ = try active.restore()
    return result
  }

  fileprivate nonisolated(nonsending) func whileApplied<Result>(
    in scope: RebindingScope, _ mayComeLater: Bool,
    _ body: nonisolated(nonsending) () async throws -> Result
  ) async throws -> Result {
    let active = try apply(in: scope, mayComeLater: mayComeLater)
    let result = try await body()
    _ = try active.restore()
    return result
  }
}
#endif
