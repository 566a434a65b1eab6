#if os(Linux) && !REBIND_ELSEWHERE
/// The scopes that reach a task, as a task-local value.
///
/// C code reads the first field, `youngest`, at the start of the value's bytes. A task that
/// outlives the scopes keeps them in memory by `owner`, though they have ended.
struct TaskScopes: @unchecked Sendable {
  /// The youngest scope's `crebind_testing_scope *`. It leads to all older ones,
  /// which `owner` keeps; their state is atomic or constant.
  let youngest: OpaquePointer
  private let owner: Owner

  private final class Owner: Sendable {
    let scopes: [ActiveScope]
    let outer: Owner?

    init(scopes: [ActiveScope], outer: Owner?) {
      self.scopes = scopes
      self.outer = outer
    }
  }

  /// - Parameter scopes: At least one, the youngest last.
  init(_ scopes: [ActiveScope], inside outer: TaskScopes?) {
    youngest = scopes.last!.pointer
    owner = Owner(scopes: scopes, outer: outer?.owner)
  }

  @TaskLocal static var current: TaskScopes?
}
#endif
