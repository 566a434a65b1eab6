#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindTesting

/// The scopes of one `withRebinding` or its like, from begin to end.
struct ScopeGroup {
  let scopes: [ActiveScope]
  private let reach: ReachKind
  /// For `.task`: what the body's tasks shall find.
  let taskScopes: TaskScopes?

  /// Begins all scopes, the last one the youngest, or none.
  init(
    _ interceptions: [Interception], reach: ReachKind
  ) throws(RebindTestingError) {
    self.reach = reach
    (scopes, taskScopes) = try withOriginals { () throws(RebindTestingError) in
      var scopes: [ActiveScope] = []
      do throws(RebindTestingError) {
        for interception in interceptions {
          scopes.append(try HookRegistry.shared.open(interception, reach: reach))
        }
      } catch {
        scopes.forEach(HookRegistry.shared.close)
        throw error
      }
      return (scopes, Self.begin(scopes, reach: reach))
    }
  }

  private static func begin(_ scopes: [ActiveScope], reach: ReachKind) -> TaskScopes? {
    guard !scopes.isEmpty else { return nil }
    switch reach {
    case .task:
      _ = QueuedBlocks.followed
      let outer = TaskScopes.current
      var youngest = outer?.youngest
      for scope in scopes {
        crebind_testing_begin_task(scope.pointer, youngest)
        youngest = scope.pointer
      }
      return TaskScopes(scopes, inside: outer)
    case .thread:
      for scope in scopes { crebind_testing_begin_thread(scope.pointer) }
    case .process:
      HookRegistry.shared.withLock {
        for scope in scopes { crebind_testing_begin_process(scope.pointer) }
      }
    }
    return nil
  }

  /// Ends all scopes, the youngest first.
  func end() {
    withOriginals {
      switch reach {
      case .task:
        for scope in scopes.reversed() { crebind_testing_end_task(scope.pointer) }
      case .thread:
        for scope in scopes.reversed() { crebind_testing_end_thread(scope.pointer) }
      case .process:
        HookRegistry.shared.withLock {
          for scope in scopes.reversed() { crebind_testing_end_process(scope.pointer) }
        }
      }
      scopes.reversed().forEach(HookRegistry.shared.close)
      for scope in scopes { scope.reportOtherTests() }
    }
  }
}
#endif
