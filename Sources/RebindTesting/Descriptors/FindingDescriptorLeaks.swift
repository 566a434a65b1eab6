#if os(Linux) && !REBIND_ELSEWHERE
/// Runs `body`, and finds the descriptors that it opens and does not close.
///
/// Descriptors that tasks of the body open are found, too. A descriptor is closed in time whichever thread closes it.
/// See <doc:TestingForDescriptorLeaks>.
///
/// ```swift
/// let leaks = try findingDescriptorLeaks { try loadConfiguration() }
/// #expect(leaks.isEmpty, "\(leaks)")
/// ```
///
/// - Parameters:
///   - allowances: Descriptors that may stay open.
///   - reach: Whose calls are looked at.
///   - body: Its errors are passed on.
/// - Returns: The descriptors, by their numbers.
/// - Throws: `RebindTestingError`, before `body` is called; what `body` throws; and `descriptorsNotSeen`
///   if it has made calls that could not be followed.
@_disfavoredOverload  // The form for `async` bodies is meant where one can await.
public func findingDescriptorLeaks<Body>(
  allowing allowances: DescriptorAllowance..., reach: Reach<Body> = Reach<AnyBody>.task,
  body: () throws -> Void
) throws -> [LeakedDescriptor] {
  try DescriptorSearch(allowing: allowances).run(reach: reach.kind) { read in
    try body()
    return try read().leaksOfAllCalls
  }
}

/// Runs `body`, which may suspend, and finds the descriptors that it opens and does not close.
///
/// See ``findingDescriptorLeaks(allowing:reach:body:)``.
nonisolated(nonsending) public func findingDescriptorLeaks(
  allowing allowances: DescriptorAllowance..., reach: Reach<AnyBody> = .task,
  body: nonisolated(nonsending) () async throws -> Void
) async throws -> [LeakedDescriptor] {
  try await DescriptorSearch(allowing: allowances).run(reach: reach.kind) { read in
    try await body()
    return try read().leaksOfAllCalls
  }
}

extension DescriptorSearch.Findings {
  /// The calls that could not be followed, as an error; nil for none.
  var shortfall: RebindTestingError? {
    unseenCalls > 0
      ? RebindTestingError(code: .descriptorsNotSeen, symbol: "", detail: "\(unseenCalls)") : nil
  }

  fileprivate var leaksOfAllCalls: [LeakedDescriptor] {
    get throws {
      if let shortfall { throw shortfall }
      return leaks
    }
  }
}
#endif
