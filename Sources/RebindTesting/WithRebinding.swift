#if os(Linux) && !REBIND_ELSEWHERE
/// Runs `body` while a C function's calls reach `handler`, a closure that may
/// capture.
///
/// ```swift
/// let opened = Mutex<[String]>([])
/// try withRebinding("open", {
///   (original, path: UnsafePointer<CChar>, flags: CInt, mode: mode_t) -> CInt in
///   opened.withLock { $0.append(String(cString: path)) }
///   return original(path, flags, mode)
/// }) {
///   try loadConfiguration()
/// }
/// ```
///
/// The C function's type is taken from the closure's: state the types of its
/// arguments and its result, which is a ``CValue`` or nothing. Nothing checks them: with ``withRebinding(_:like:reach:_:body:)``
/// the compiler does. A variadic function such as `open` is stated with the
/// arguments that it is called with.
///
/// `original` is what the call would have reached: the handler of an enclosing
/// `withRebinding`, if one reaches the calling code, and else the C function. Other
/// calls that a handler makes on its thread, of whatever rebound function, reach the
/// C functions; no handler runs inside of another, except through `original`. While
/// `original` runs, further calls of the same function reach the C function too.
///
/// A handler returns a value and sets `errno` as a C function does. It cannot throw,
/// and must not leave by `longjmp`. Tasks of the body, or with ``/RebindCounting/Reach/process``
/// any threads, run it at the same time: what it captures is `Sendable`. With
/// ``/RebindCounting/Reach/thread`` it may change a variable that it captures. A handler for
/// `malloc` and its kind may run inside of Swift's runtime, so it should do little.
///
/// The slots that lead to the function are changed for the first rebinding in the
/// process, and stay so, as the next one then costs little. Calls that are not reached
/// go to the original, with a detour of some nanoseconds.
///
/// - Parameters:
///   - symbol: The function's name, or `name@VERSION`.
///   - reach: Which calls reach the handler.
///   - handler: Called in place of the function.
///   - body: Its result and its errors are passed on.
/// - Throws: `RebindTestingError`, before `body` is called, and what `body` throws.
/// - Complexity: O(symbols that all images import) for a symbol's first rebinding.
@inlinable
@discardableResult
@_disfavoredOverload  // The form for `async` bodies is meant where one can await.
public func withRebinding<
  each Argument: CValue & BitwiseCopyable, Result: CValue & BitwiseCopyable, Return
>(
  _ symbol: String, reach: Reach<AnyBody> = .task,
  _ handler:
    @escaping @Sendable (
      _ original: OriginalFunction<Result, repeat each Argument>,
      _ arguments: repeat each Argument
    ) -> Result,
  body: () throws -> Return
) throws -> Return {
  try withInterceptions([.handler(of: symbol, handler)], reach: reach.kind, body)
}

/// Runs `body`, which may suspend, while a C function's calls reach `handler`.
///
/// The rebinding ends with the body, also when that throws or is cancelled. Tasks
/// that outlive the body reach the original from then on. See
/// ``withRebinding(_:reach:_:body:)``.
@inlinable
@discardableResult
nonisolated(nonsending) public func withRebinding<
  each Argument: CValue & BitwiseCopyable, Result: CValue & BitwiseCopyable, Return
>(
  _ symbol: String, reach: Reach<AnyBody> = .task,
  _ handler:
    @escaping @Sendable (
      _ original: OriginalFunction<Result, repeat each Argument>,
      _ arguments: repeat each Argument
    ) -> Result,
  body: nonisolated(nonsending) () async throws -> Return
) async throws -> Return {
  try await withInterceptions([.handler(of: symbol, handler)], reach: reach.kind, body)
}

/// Runs `body` while the thread's calls of a C function reach `handler`, which may change
/// variables that it captures.
///
/// See ``withRebinding(_:reach:_:body:)``.
@inlinable
@discardableResult
@_disfavoredOverload  // The form for `async` bodies is meant where one can await.
public func withRebinding<
  each Argument: CValue & BitwiseCopyable, Result: CValue & BitwiseCopyable, Return
>(
  _ symbol: String, reach: Reach<SynchronousBody>,
  _ handler:
    @escaping (
      _ original: OriginalFunction<Result, repeat each Argument>,
      _ arguments: repeat each Argument
    ) -> Result,
  body: () throws -> Return
) throws -> Return {
  try withInterceptions([.handler(of: symbol, handler)], reach: reach.kind, body)
}

// MARK: - Functions that return nothing

/// Runs `body` while calls of a C function that returns nothing reach `handler`.
///
/// See ``withRebinding(_:reach:_:body:)``.
@inlinable
@discardableResult
@_disfavoredOverload  // The form for `async` bodies is meant where one can await.
public func withRebinding<each Argument: CValue & BitwiseCopyable, Return>(
  _ symbol: String, reach: Reach<AnyBody> = .task,
  _ handler:
    @escaping @Sendable (
      _ original: OriginalFunction<Void, repeat each Argument>,
      _ arguments: repeat each Argument
    ) -> Void,
  body: () throws -> Return
) throws -> Return {
  try withInterceptions([.handler(of: symbol, handler)], reach: reach.kind, body)
}

/// Runs `body`, which may suspend, while calls of a C function that returns nothing
/// reach `handler`.
///
/// See ``withRebinding(_:reach:_:body:)``.
@inlinable
@discardableResult
nonisolated(nonsending) public func withRebinding<each Argument: CValue & BitwiseCopyable, Return>(
  _ symbol: String, reach: Reach<AnyBody> = .task,
  _ handler:
    @escaping @Sendable (
      _ original: OriginalFunction<Void, repeat each Argument>,
      _ arguments: repeat each Argument
    ) -> Void,
  body: nonisolated(nonsending) () async throws -> Return
) async throws -> Return {
  try await withInterceptions([.handler(of: symbol, handler)], reach: reach.kind, body)
}

/// Runs `body` while the thread's calls of a C function that returns nothing reach `handler`.
///
/// See ``withRebinding(_:reach:_:body:)``.
@inlinable
@discardableResult
@_disfavoredOverload  // The form for `async` bodies is meant where one can await.
public func withRebinding<each Argument: CValue & BitwiseCopyable, Return>(
  _ symbol: String, reach: Reach<SynchronousBody>,
  _ handler:
    @escaping (
      _ original: OriginalFunction<Void, repeat each Argument>,
      _ arguments: repeat each Argument
    ) -> Void,
  body: () throws -> Return
) throws -> Return {
  try withInterceptions([.handler(of: symbol, handler)], reach: reach.kind, body)
}
#endif
