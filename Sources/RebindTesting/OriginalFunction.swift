#if os(Linux) && !REBIND_ELSEWHERE
/// The function that a call would reach without the handler that receives this value: call it
/// like that function.
///
/// It may be called any number of times, later, and from other threads and tasks.
public struct OriginalFunction<Result: BitwiseCopyable, each Argument: CValue & BitwiseCopyable>:
  Sendable
{
  @usableFromInline let scope: ActiveScope

  @inlinable
  init(_ scope: ActiveScope) { self.scope = scope }

  /// Calls the outer handler, or the C function, and returns what that returns.
  @inlinable
  public func callAsFunction(_ arguments: repeat each Argument) -> Result {
    var count = 0
    for _ in repeat (each Argument).self { count += 1 }
    return withUnsafeTemporaryAllocation(of: ValueSlot.self, capacity: count) { slots in
      var index = 0
      for argument in repeat each arguments {
        slots.initializeElement(at: index, to: ValueSlot(argument))
        index += 1
      }
      return scope.callOriginal(slots).value(as: Result.self)
    }
  }
}
#endif
