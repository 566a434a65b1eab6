#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebind
internal import CRebindTesting
internal import RebindCounting

/// The symbols that are or were rebound, each by one rebinding of the core however many scopes it has.
///
/// It is applied for the first scope, and stays: a stub that nobody asks sends its calls on to the original,
/// and the next scope costs little then. It is judged anew if images have come or gone since, or if somebody
/// else has changed a slot.
///
/// A symbol keeps its hook for good, too: calls may be inside of its stub at any time.
///
/// Sendable, because its state is used with `crebind_testing_lock` held.
final class HookRegistry: @unchecked Sendable {
  static let shared = HookRegistry()

  /// The pointer is to static memory.
  private struct Hook {
    let pointer: OpaquePointer
    var rebinding: AppliedRebinding?
    var scopes = 0
  }

  private var hooks: [String: Hook] = [:]
  /// Ended scopes of the process in which a call is still under way.
  private var busy: [ActiveScope] = []

  private init() {
    // A task-local value's key is the address of its declaration, an object that is never freed.
    crebind_testing_set_task_key(Unmanaged.passUnretained(TaskScopes.$current).toOpaque())
    crebind_testing_follow_queues(QueuedBlocks.type(of: TaskScopes.$current))
  }

  /// Makes a scope, and sees to it that calls reach its hooks.
  func open(
    _ interception: Interception, reach: ReachKind
  ) throws(RebindTestingError) -> ActiveScope {
    try withLock { () throws(RebindTestingError) in
      var pointers: [OpaquePointer] = []
      for symbol in interception.symbols { pointers.append(try hook(of: symbol)) }
      let scope = try ActiveScope(interception, reach: reach, on: pointers)
      for symbol in interception.symbols {
        do throws(RebindTestingError) {
          try rebind(symbol, mayBeUncalled: interception.mayBeUncalled)
        } catch  where error.code == .undefinedSymbol && interception.mayBeUndefined {
          continue
        }
      }
      for symbol in interception.symbols { hooks[symbol]!.scopes += 1 }
      return scope
    }
  }

  /// Throws what `open` would, for a scope that calls shall meet.
  func prepare(_ symbol: String) throws(RebindTestingError) {
    try withLock { () throws(RebindTestingError) in
      _ = try hook(of: symbol)
      try rebind(symbol, mayBeUncalled: true)
    }
  }

  private func hook(of symbol: String) throws(RebindTestingError) -> OpaquePointer {
    // A stub does not keep the registers that their callers count on, and no closure in Swift can stand in
    // for what it calls itself.
    guard !isCountedFunctionOfRuntime(symbol) else {
      throw RebindTestingError(code: .runtimeFunction, symbol: symbol)
    }
    if let hook = hooks[symbol] { return hook.pointer }
    let hook = Hook(pointer: try Self.hook(at: hooks.count, for: symbol))
    hooks[symbol] = hook
    return hook.pointer
  }

  /// Points the symbol's slots at its hook, unless they are.
  private func rebind(_ symbol: String, mayBeUncalled: Bool) throws(RebindTestingError) {
    let hook = hooks[symbol]!
    let isInUse = hook.scopes > 0
    if let rebinding = hook.rebinding, isInUse || rebinding.isUpToDate() {
      // One that is in use was judged when its first scope began, and has come to slots since.
      guard mayBeUncalled || isInUse || rebinding.isCalled else { throw .neverCalled(symbol) }
      return
    }
    // Where it cannot be restored, as somebody else's hook lies on it, the new one takes its slots.
    let former = hook.rebinding
    let wasCalled = former?.isCalled ?? false
    let isGone = former?.restore() ?? true
    hooks[symbol]!.rebinding = isGone ? nil : former
    hooks[symbol]!.rebinding = try AppliedRebinding(
      of: symbol, to: hook.pointer, mayBeUncalled: mayBeUncalled || (!isGone && wasCalled))
    if !isGone { _ = former?.restore() }
  }

  func close(_ scope: ActiveScope) {
    // Freeing may run code of the user's, so scopes are kept until after the lock.
    let kept = withLock {
      for symbol in scope.symbols { hooks[symbol]!.scopes -= 1 }
      let kept = busy
      busy = (busy + [scope]).filter { crebind_testing_is_busy($0.pointer) }
      return kept
    }
    withExtendedLifetime(kept) {}
  }

  /// The counts of the youngest scope of a symbol that reaches the calling code; nil for none.
  func counts(of symbol: String) -> CallCounts? {
    withLock {
      hooks[symbol].flatMap { crebind_testing_innermost($0.pointer, .max) }
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
    let limit = crebind_testing_hook_limit()
    guard index < limit else {
      throw RebindTestingError(code: .tooManySymbols, symbol: symbol, detail: "\(limit)")
    }
    return crebind_testing_hook_at(index)
  }
}
#endif
