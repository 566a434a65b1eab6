#if os(Linux) && !REBIND_ELSEWHERE
/// One call of a handler, as libffi gives it.
@usableFromInline
struct HandlerCall {
  @usableFromInline let scope: ActiveScope
  @usableFromInline let result: UnsafeMutableRawPointer
  @usableFromInline let arguments: UnsafePointer<UnsafeMutableRawPointer>

  init(
    scope: ActiveScope, result: UnsafeMutableRawPointer,
    arguments: UnsafePointer<UnsafeMutableRawPointer>
  ) {
    self.scope = scope
    self.result = result
    self.arguments = arguments
  }
}
#endif
