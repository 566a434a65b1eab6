#if os(Linux) && !REBIND_ELSEWHERE
/// A handler's work for one call, without its types.
@usableFromInline
typealias HandlerBody = (HandlerCall) -> Void

/// Wraps a handler so that it takes its arguments from a call and stores its result
/// there.
///
/// Inlinable, so that it is compiled for the handler's own types where these are
/// known; otherwise each argument costs a detour through its type's metadata.
@inlinable
func makeHandlerBody<each Argument: CValue & BitwiseCopyable, Result: BitwiseCopyable>(
  _ handler:
    @escaping (
      _ original: OriginalFunction<Result, repeat each Argument>,
      _ arguments: repeat each Argument
    ) -> Result
) -> HandlerBody {
  { call in
    var index = 0
    func next<Value: CValue & BitwiseCopyable>(_ type: Value.Type) -> Value {
      defer { index += 1 }
      return call.arguments[index].loadUnaligned(as: type)
    }
    let result = handler(OriginalFunction(call.scope), repeat next((each Argument).self))
    call.result.storeBytes(of: result, as: Result.self)
  }
}
#endif
