#if os(Linux) && !REBIND_ELSEWHERE
/// Runs `body` while calls of some functions are recorded. They go on to what they
/// would have reached.
///
/// ```swift
/// try withRecordedCalls(of: "open", "close") { recording in
///   try loadConfiguration()
///   #expect(recording.calls(of: "open").count == recording.calls(of: "close").count)
/// }
/// ```
///
/// A recorded call reaches the function with all that its caller passed. Nothing on the stack is moved, so the
/// function may take any number of arguments, and be left by an exception or by `longjmp`.
///
/// - Parameters:
///   - functions: The functions' names, or `name@VERSION`.
///   - reach: Which calls are recorded.
///   - body: Is given the recording, which goes on while it runs. Its result and its
///     errors are passed on.
/// - Throws: `RebindTestingError`, before `body` is called, and what `body` throws.
@discardableResult
@_disfavoredOverload  // The form for `async` bodies is meant where one can await.
public func withRecordedCalls<Return, Body>(
  of functions: String..., reach: Reach<Body> = Reach<AnyBody>.task,
  body: (_ recording: CallRecording) throws -> Return
) throws -> Return {
  let recording = CallRecording()
  return try withInterceptions(recording.interceptions(of: functions), reach: reach.kind) {
    try body(recording)
  }
}

/// Runs `body`, which may suspend, while calls of some functions are recorded.
///
/// See the form for bodies that do not suspend.
@discardableResult
nonisolated(nonsending) public func withRecordedCalls<Return>(
  of functions: String..., reach: Reach<AnyBody> = .task,
  body: nonisolated(nonsending) (_ recording: CallRecording) async throws -> Return
) async throws -> Return {
  let recording = CallRecording()
  return try await withInterceptions(
    recording.interceptions(of: functions), reach: reach.kind
  ) {
    try await body(recording)
  }
}
#endif
