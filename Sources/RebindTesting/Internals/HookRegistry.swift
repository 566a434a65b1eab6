internal import CRebind
internal import CRebindTesting
internal import Synchronization

/// The symbols that are or were rebound, each by one rebinding of the core however
/// many scopes there are: applied for the first one and restored after the last.
///
/// A symbol keeps its hook for good. Calls may be inside of its stub when the slots
/// are restored, and go on to the original from there.
final class HookRegistry: Sendable {
  static let shared = HookRegistry()

  private struct State: @unchecked Sendable {
    var hooks: [String: Hook] = [:]
    /// Ended scopes of the process in which a call is still under way.
    var busy: [ActiveScope] = []
  }

  /// The pointers are to static memory, and to what the core guards by its lock.
  private struct Hook {
    let pointer: OpaquePointer
    var rebinding: OpaquePointer?
    var scopes = 0
  }

  private let state = Mutex(State())

  private init() {
    // A task-local value's key is the address of its declaration, an object.
    crebind_testing_set_task_key(unsafeBitCast(TaskScopes.$current, to: UnsafeRawPointer.self))
  }

  /// Makes a scope, and sees to it that calls reach its hook.
  func open(_ interception: Interception) throws(RebindTestingError) -> ActiveScope {
    try state.withLock { state throws(RebindTestingError) in
      let symbol = interception.symbol
      if state.hooks[symbol] == nil {
        state.hooks[symbol] = Hook(pointer: try Self.hook(at: state.hooks.count, for: symbol))
      }
      var hook = state.hooks[symbol]!
      let scope = try ActiveScope(interception, on: hook.pointer)
      if hook.rebinding == nil {
        hook.rebinding = try applyRebinding(
          of: symbol, to: hook.pointer, mayBeUncalled: interception.mayBeUncalled)
      }
      hook.scopes += 1
      state.hooks[symbol] = hook
      return scope
    }
  }

  /// Restores the slots after the last scope. Where that fails they stay as they
  /// are, which does no harm: the stub sends calls on to the original.
  func close(_ scope: ActiveScope) {
    state.withLock { state in
      state.hooks[scope.symbol]!.scopes -= 1
      if state.hooks[scope.symbol]!.scopes == 0,
        crebind_restore(state.hooks[scope.symbol]!.rebinding!, nil, nil) == CREBIND_OK
      {
        state.hooks[scope.symbol]!.rebinding = nil
      }
      state.busy.append(scope)
      state.busy.removeAll { !crebind_testing_is_busy($0.pointer) }
    }
  }

  /// Runs `body` while no other thread changes hooks.
  func withLock<Result>(_ body: () -> Result) -> Result {
    state.withLock { _ in body() }
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
