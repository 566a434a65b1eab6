#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebindCounting

/// Runs `body`, and counts its allocations, retains, releases and exclusivity checks.
///
/// ```swift
/// let counts = try countingAllocations {
///   _ = (0..<10).map { [$0] }
/// }
/// print(counts)
/// ```
///
/// It changes slots, as `Rebind` does: the program needs neither preloading nor another build. Calls
/// that go through no slot are not seen; see <doc:CountingInTests>.
///
/// The value that `body` returns lives until the counting has ended.
///
/// - Parameters:
///   - kinds: The kinds of call that are counted.
///   - reach: Whose calls are counted.
///   - body: Its errors are passed on.
/// - Returns: The counts. A kind that cannot be counted in this process is nil there, with its reason.
/// - Throws: `CountingError`, before `body` is called, and what `body` throws.
@_disfavoredOverload  // The form for `async` bodies is meant where one can await.
public func countingAllocations<Value, Body>(
  of kinds: CountedKinds = .standard, reach: Reach<Body> = Reach<AnyBody>.task,
  body: () throws -> Value
) throws -> AllocationCounts {
  let scope = try HeldScope(kinds, reach: reach.kind.code)
  guard reach.kind == .task else {
    return try count(
      scope, tracksPeak: reach.kind == .process && kinds.contains(.processPeak), body)
  }
  do {
    let result = try TaskCounting.$current.withValue(scope.taskValue) {
      crebind_counting_begin(scope.pointer, scope.outer, false)
      defer { crebind_counting_end(scope.pointer) }
      return try body()
    }
    return withExtendedLifetime(result) { scope.finish() }
  } catch {
    scope.giveBack()
    throw error
  }
}

/// Runs `body`, which may suspend, and counts its allocations, retains, releases and exclusivity
/// checks.
///
/// See ``countingAllocations(of:reach:body:)``.
nonisolated(nonsending) public func countingAllocations<Value>(
  of kinds: CountedKinds = .standard, reach: Reach<AnyBody> = .task,
  body: nonisolated(nonsending) () async throws -> Value
) async throws -> AllocationCounts {
  try await countingAllocations(
    of: kinds, reach: reach, sparesTesting: false, findsLeaks: false, body: body)
}

/// The same, for a trait.
///
/// - Parameters:
///   - sparesTesting: Leaves calls alone that the testing libraries make.
///   - findsLeaks: Keeps the blocks that nobody frees: ``AllocationCounts/leakedBlocks``.
nonisolated(nonsending) package func countingAllocations<Value>(
  of kinds: CountedKinds, reach: Reach<AnyBody>, sparesTesting: Bool, findsLeaks: Bool,
  body: nonisolated(nonsending) () async throws -> Value
) async throws -> AllocationCounts {
  let scope = try HeldScope(
    kinds, reach: reach.kind.code, sparesTesting: sparesTesting, findsLeaks: findsLeaks)
  let tracksPeak = kinds.contains(.processPeak)
  do {
    let result: Value
    if reach == .task {
      result = try await TaskCounting.$current.withValue(scope.taskValue) {
        crebind_counting_begin(scope.pointer, scope.outer, false)
        defer { crebind_counting_end(scope.pointer) }
        return try await body()
      }
    } else {
      crebind_counting_begin(scope.pointer, nil, tracksPeak)
      defer { crebind_counting_end(scope.pointer) }
      result = try await body()
    }
    return withExtendedLifetime(result) { scope.finish() }
  } catch {
    scope.giveBack()
    throw error
  }
}

/// Counts a body in a scope that needs no task-local value.
private func count<Value>(
  _ scope: HeldScope, tracksPeak: Bool, _ body: () throws -> Value
) throws -> AllocationCounts {
  crebind_counting_begin(scope.pointer, nil, tracksPeak)
  do {
    let result = try body()
    crebind_counting_end(scope.pointer)
    return withExtendedLifetime(result) { scope.finish() }
  } catch {
    crebind_counting_end(scope.pointer)
    scope.giveBack()
    throw error
  }
}
#endif
