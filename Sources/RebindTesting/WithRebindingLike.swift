#if os(Linux) && !REBIND_ELSEWHERE
/// Runs `body` while a C function's calls reach `handler`, whose type the compiler takes from the
/// function.
///
/// ```swift
/// try withRebinding("getuid", like: getuid) { 0 } body: {
///   #expect(getuid() == 0)
/// }
/// ```
///
/// A variadic function has the type that Swift has an overload for; where it has several, the
/// handler's arguments tell which one:
///
/// ```swift
/// try withRebinding("open", like: open) { (path, flags, mode: mode_t) in -1 } body: {
///   try loadConfiguration()
/// }
/// ```
///
/// A handler with one argument more is given the original first. In all else this is
/// ``withRebinding(_:reach:_:body:)``.
///
/// - Parameters:
///   - symbol: The function's name, or `name@VERSION`.
///   - function: The function, as its module declares it. It is neither called nor kept.
///   - reach: Which calls reach the handler.
///   - handler: Called in place of the function.
///   - body: Its result and its errors are passed on.
/// - Throws: `RebindTestingError`, before `body` is called, and what `body` throws.
/// - Complexity: O(symbols that all images import) for a symbol's first rebinding.
@inlinable
@discardableResult
@_disfavoredOverload  // The form for `async` bodies is meant where one can await.
public func withRebinding<
  each Argument: CValue & BitwiseCopyable, Result: BitwiseCopyable, Return
>(
  _ symbol: String, like function: (repeat each Argument) -> Result,
  reach: Reach<AnyBody> = .task,
  _ handler:
    @escaping @Sendable (_ arguments: repeat each Argument) -> Result,
  body: () throws -> Return
) throws -> Return {
  try withInterceptions(
    [
      .handler(
        of: symbol, { (_, arguments: repeat each Argument) in handler(repeat each arguments) })
    ], reach: reach.kind, body)
}

/// Runs `body`, which may suspend, while a C function's calls reach `handler`.
///
/// See ``withRebinding(_:like:reach:_:body:)``.
@inlinable
@discardableResult
nonisolated(nonsending) public func withRebinding<
  each Argument: CValue & BitwiseCopyable, Result: BitwiseCopyable, Return
>(
  _ symbol: String, like function: (repeat each Argument) -> Result,
  reach: Reach<AnyBody> = .task,
  _ handler:
    @escaping @Sendable (_ arguments: repeat each Argument) -> Result,
  body: nonisolated(nonsending) () async throws -> Return
) async throws -> Return {
  try await withInterceptions(
    [
      .handler(
        of: symbol, { (_, arguments: repeat each Argument) in handler(repeat each arguments) })
    ], reach: reach.kind, body)
}

/// Runs `body` while the thread's calls of a C function reach `handler`, which may change
/// variables that it captures.
///
/// See ``withRebinding(_:like:reach:_:body:)``.
@inlinable
@discardableResult
@_disfavoredOverload  // The form for `async` bodies is meant where one can await.
public func withRebinding<
  each Argument: CValue & BitwiseCopyable, Result: BitwiseCopyable, Return
>(
  _ symbol: String, like function: (repeat each Argument) -> Result,
  reach: Reach<SynchronousBody>,
  _ handler:
    @escaping (_ arguments: repeat each Argument) -> Result,
  body: () throws -> Return
) throws -> Return {
  try withInterceptions(
    [
      .handler(
        of: symbol, { (_, arguments: repeat each Argument) in handler(repeat each arguments) })
    ], reach: reach.kind, body)
}

// MARK: - A handler that is given the original

/// Runs `body` while a C function's calls reach `handler`, which is given the original.
///
/// See ``withRebinding(_:like:reach:_:body:)``.
@inlinable
@discardableResult
@_disfavoredOverload  // The form for `async` bodies is meant where one can await.
public func withRebinding<
  each Argument: CValue & BitwiseCopyable, Result: BitwiseCopyable, Return
>(
  _ symbol: String, like function: (repeat each Argument) -> Result,
  reach: Reach<AnyBody> = .task,
  _ handler:
    @escaping @Sendable (
      _ original: OriginalFunction<Result, repeat each Argument>,
      _ arguments: repeat each Argument
    ) -> Result,
  body: () throws -> Return
) throws -> Return {
  try withInterceptions([.handler(of: symbol, handler)], reach: reach.kind, body)
}

/// Runs `body`, which may suspend, while a C function's calls reach `handler`, which is given
/// the original.
///
/// See ``withRebinding(_:like:reach:_:body:)``.
@inlinable
@discardableResult
nonisolated(nonsending) public func withRebinding<
  each Argument: CValue & BitwiseCopyable, Result: BitwiseCopyable, Return
>(
  _ symbol: String, like function: (repeat each Argument) -> Result,
  reach: Reach<AnyBody> = .task,
  _ handler:
    @escaping @Sendable (
      _ original: OriginalFunction<Result, repeat each Argument>,
      _ arguments: repeat each Argument
    ) -> Result,
  body: nonisolated(nonsending) () async throws -> Return
) async throws -> Return {
  try await withInterceptions([.handler(of: symbol, handler)], reach: reach.kind, body)
}

/// Runs `body` while the thread's calls of a C function reach `handler`, which is given the
/// original, and may change variables that it captures.
///
/// See ``withRebinding(_:like:reach:_:body:)``.
@inlinable
@discardableResult
@_disfavoredOverload  // The form for `async` bodies is meant where one can await.
public func withRebinding<
  each Argument: CValue & BitwiseCopyable, Result: BitwiseCopyable, Return
>(
  _ symbol: String, like function: (repeat each Argument) -> Result,
  reach: Reach<SynchronousBody>,
  _ handler:
    @escaping (
      _ original: OriginalFunction<Result, repeat each Argument>,
      _ arguments: repeat each Argument
    ) -> Result,
  body: () throws -> Return
) throws -> Return {
  try withInterceptions([.handler(of: symbol, handler)], reach: reach.kind, body)
}
#endif
