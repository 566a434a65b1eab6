internal import CRebind
internal import CRebindTesting
internal import RebindCounting

/// The symbols that are or were rebound, each by one rebinding of the core however
/// many scopes it has: applied for the first one and restored after the last.
///
/// A symbol keeps its hook for good. Calls may be inside of its stub when the slots
/// are restored, and go on to the original from there.
///
/// Sendable, because its state is used with `crebind_testing_lock` held.
final class HookRegistry: @unchecked Sendable {
  static let shared = HookRegistry()

  /// The pointers are to static memory, and to what the core guards by its lock.
  private struct Hook {
    let pointer: OpaquePointer
    var rebinding: OpaquePointer?
    /// It is restored but for slots that somebody else's hook lies on.
    var isCovered = false
    var scopes = 0
  }

  private var hooks: [String: Hook] = [:]
  /// Ended scopes of the process in which a call is still under way.
  private var busy: [ActiveScope] = []

  private init() {
    // A task-local value's key is the address of its declaration, an object that is never freed.
    crebind_testing_set_task_key(Unmanaged.passUnretained(TaskScopes.$current).toOpaque())
  }

  /// Makes a scope, and sees to it that calls reach its hook.
  func open(_ interception: Interception) throws(RebindTestingError) -> ActiveScope {
    let symbol = interception.symbol
    // A stub does not keep the registers that their callers count on, and no closure in Swift can stand in
    // for what it calls itself.
    guard !isCountedFunctionOfRuntime(symbol) else {
      throw RebindTestingError(code: .runtimeFunction, symbol: symbol)
    }
    return try withLock { () throws(RebindTestingError) in
      if hooks[symbol] == nil {
        hooks[symbol] = Hook(pointer: try Self.hook(at: hooks.count, for: symbol))
      }
      var hook = hooks[symbol]!
      let scope = try ActiveScope(interception, on: hook.pointer)
      if hook.rebinding == nil || hook.isCovered {
        let covered = hook.rebinding
        hook.rebinding = try applyRebinding(
          of: symbol, to: hook.pointer, mayBeUncalled: interception.mayBeUncalled || hook.isCovered)
        hook.isCovered = false
        // The new one has its slots.
        if let covered { crebind_restore(covered, nil, nil) }
      }
      hook.scopes += 1
      hooks[symbol] = hook
      return scope
    }
  }

  /// Restores the slots after the last scope. Where that fails they stay as they
  /// are, which does no harm: the stub sends calls on to the original.
  func close(_ scope: ActiveScope) {
    // Freeing may run code of the user's, so scopes are kept until after the lock.
    let kept = withLock {
      let symbol = scope.symbol
      hooks[symbol]!.scopes -= 1
      if hooks[symbol]!.scopes == 0 {
        let status = crebind_restore(hooks[symbol]!.rebinding!, nil, nil)
        if status == CREBIND_OK { hooks[symbol]!.rebinding = nil }
        hooks[symbol]!.isCovered = status == CREBIND_COVERED
      }
      let kept = busy
      busy = (busy + [scope]).filter { crebind_testing_is_busy($0.pointer) }
      return kept
    }
    withExtendedLifetime(kept) {}
  }

  /// The counts of the youngest scope of a symbol that reaches the calling code; nil for none.
  func counts(of symbol: String) -> CallCounts? {
    withLock {
      hooks[symbol].flatMap { crebind_testing_innermost($0.pointer) }
        .map { CallCounts(crebind_testing_counts_of($0)) }
    }
  }

  /// Runs `body` while no other thread changes hooks.
  func withLock<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    crebind_testing_lock()
    defer { crebind_testing_unlock() }
    return try body()
  }

  private static func hook(
    at index: Int, for symbol: String
  ) throws(RebindTestingError) -> OpaquePointer {
    guard index < crebind_testing_hook_limit() else {
      throw RebindTestingError(code: .tooManySymbols, symbol: symbol)
    }
    return crebind_testing_hook_at(index)
  }
}
