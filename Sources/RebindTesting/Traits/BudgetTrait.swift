#if os(Linux) && !REBIND_ELSEWHERE
// The toolchain has no Testing to link statically.
#if canImport(Testing)
public import Testing

/// Holds a test to a budget of allocations or retains, or to leaving no block or descriptor over.
///
/// On a suite it holds for each test. A test that exceeds its budget has an issue with all numbers.
/// A test with uncountable calls has one too: a budget is never kept by mistake.
///
/// The numbers are attached to a test that exceeds its budget, too.
///
/// If a test has several budgets and one of them counts the process, all of them do.
public struct BudgetTrait: TestTrait, SuiteTrait, TestScoping {
  /// The number that is limited, in words and of counts.
  enum Measure: Hashable {
    case allocations, retains, leaks
    case descriptors(allowing: [DescriptorAllowance])
  }

  let measure: Measure
  let limit: Int
  let reach: Reach<AnyBody>
  /// The issue has the backtraces.
  var showsSites = false
  /// The test runs once before it is counted.
  var isWarmed = false
  /// Tells it from a trait of the same budget.
  private let identity = Identity()

  private final class Identity: Sendable {}

  public var isRecursive: Bool { true }

  /// The same budget, for a second run of the test. The first run is not counted: it fills caches and
  /// makes lazy globals.
  ///
  /// ```swift
  /// @Test(.allocations(atMost: 3).warmed)
  /// func readsAgainWithoutCopies() throws { try loadConfiguration() }
  /// ```
  ///
  /// The suite's `init` is part of each run. If a test has several budgets and one of them is warmed, all of
  /// them count the second run. Traits behind the first budget act in both runs. Traits in front of it see the
  /// calls of both runs: `onCall: 1` strikes in the first run.
  public var warmed: Self {
    var trait = self
    trait.isWarmed = true
    return trait
  }

  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    // The innermost one counts for all that the test has, as counting would be counted, too.
    let traits = test.traits.compactMap { $0 as? BudgetTrait }
    let isOfTest = traits.contains { $0.identity === identity }
    guard !isOfTest || traits.last?.identity === identity else { return try await function() }
    let budgets = isOfTest ? traits : [self]

    if budgets.contains(where: \.isWarmed) { try await function() }
    let reach = budgets.contains { $0.reach == .process } ? Reach.process : .task
    // Outermost: it counts nothing, and all that counting opens is left out.
    try await searchDescriptors(of: budgets, reach: reach, test) {
      try await count(budgets.filter { $0.allowances == nil }, reach: reach, test, function)
    }
  }

  private func count(
    _ budgets: [Self], reach: Reach<AnyBody>, _ test: Test,
    _ function: @Sendable () async throws -> Void
  ) async throws {
    guard !budgets.isEmpty else { return try await function() }
    await growTaskMemory()
    let kinds = budgets.reduce(into: CountedKinds.callingImages) {
      $0.formUnion($1.showsSites ? [$1.measure.kinds, .sites] : $1.measure.kinds)
    }
    let counts = try await countingAllocations(
      of: kinds, reach: reach, sparesTesting: true,
      findsLeaks: budgets.contains { $0.measure == .leaks }, body: function)
    for budget in budgets {
      guard let excess = budget.measure.excess(in: counts, limit: budget.limit) else { continue }
      Issue.record("\(excess)\n\(counts)", sourceLocation: test.sourceLocation)
      attach("\(budget.measure).txt", to: test) { "\(excess)\n\(counts)" }
    }
  }
}

extension BudgetTrait {
  /// The descriptors that may stay open; nil for another measure.
  private var allowances: [DescriptorAllowance]? {
    if case .descriptors(let allowances) = measure { allowances } else { nil }
  }

  /// Cancels a test that looks at descriptors where a sanitizer defines one of the functions.
  public func prepare(for test: Test) async throws {
    if allowances != nil { try cancelIfIntercepted(test, DescriptorSearch.functions) }
  }

  private func searchDescriptors(
    of budgets: [Self], reach: Reach<AnyBody>, _ test: Test,
    _ function: @Sendable () async throws -> Void
  ) async throws {
    let allowances = budgets.compactMap(\.allowances)
    guard !allowances.isEmpty else { return try await function() }
    let search = try DescriptorSearch(allowing: Array(allowances.joined()))
    let budget = budgets.first { $0.allowances != nil }!
    try await search.run(reach: reach.kind) { read in
      defer { budget.report(read(), test) }
      try await function()
    }
  }

  private func report(_ findings: DescriptorSearch.Findings, _ test: Test) {
    let count = findings.leaks.count
    let excess = "\(count) \(measure.name(isOne: count == 1)), at most \(limit)"
    let issues =
      (count > limit ? ["\(excess)\n\(lines(findings.leaks))"] : [])
      + findings.closedTwice.map { "descriptor \($0.number) is closed twice, by \($0.closing)" }
      + (findings.shortfall.map { ["\($0)"] } ?? [])
    for issue in issues { Issue.record("\(issue)", sourceLocation: test.sourceLocation) }
    if !issues.isEmpty { attach("descriptors.txt", to: test) { lines(issues) } }
  }
}

private func lines(_ values: [some CustomStringConvertible]) -> String {
  values.map(\.description).joined(separator: "\n")
}

/// Has the task get memory for frames, which it keeps, so that it need not while it is counted.
nonisolated(nonsending) private func growTaskMemory() async {
  let frame = InlineArray<8192, UInt8>(repeating: 0)
  await suspend()
  use(frame)
}

@inline(never)
nonisolated(nonsending) private func suspend() async {}

@inline(never)
private func use(_ frame: borrowing InlineArray<8192, UInt8>) {}

extension BudgetTrait.Measure {
  var kinds: CountedKinds {
    self == .retains ? .references : .memory
  }

  fileprivate func name(isOne: Bool = false) -> String {
    switch self {
    case .allocations: isOne ? "allocation" : "allocations"
    case .retains: isOne ? "retain" : "retains"
    case .leaks: isOne ? "block that is not freed" : "blocks that are not freed"
    case .descriptors:
      isOne ? "descriptor that is not closed" : "descriptors that are not closed"
    }
  }

  private func number(in counts: AllocationCounts) -> Int? {
    switch self {
    case .allocations: counts.allocations
    case .retains: counts.retains
    case .leaks: counts.leakedBlocks
    case .descriptors: nil
    }
  }

  /// The text of an issue; nil if the budget is kept.
  func excess(in counts: AllocationCounts, limit: Int) -> String? {
    guard let number = number(in: counts) else {
      // Their table may be full. The number of blocks that are live would not do, as older ones are freed.
      return self == .leaks && counts.liveBlocks != nil
        ? "\(name()) cannot be counted: the test is given too many to keep their addresses"
        : "\(name()) cannot be counted here"
    }
    guard number > limit else { return nil }
    return "\(number) \(name(isOne: number == 1)), at most \(limit)"
  }
}

extension Trait where Self == BudgetTrait {
  /// Lets the test make so many allocations at most: blocks that `malloc` and its kind give.
  ///
  /// ```swift
  /// @Test(.allocations(atMost: 3))
  /// func readsWithoutCopies() throws { try loadConfiguration() }
  /// ```
  ///
  /// Caches and lazy globals allocate at their first use: ``BudgetTrait/warmed`` runs the test once before it
  /// is counted. The suite's `init` is counted.
  ///
  /// - Parameters:
  ///   - limit: The most that the test may make.
  ///   - reach: Whose calls are counted.
  ///   - sites: Whether an issue has the backtraces of the calls, with lines. The test then takes longer.
  public static func allocations(
    atMost limit: Int, reach: Reach<AnyBody> = .task, sites: Bool = false
  ) -> Self {
    Self(measure: .allocations, limit: limit, reach: reach, showsSites: sites)
  }

  /// Lets the test make so many retains at most: calls of `swift_retain` and its variants.
  ///
  /// They differ between debug and release builds. See ``allocations(atMost:reach:sites:)``.
  public static func retains(
    atMost limit: Int, reach: Reach<AnyBody> = .task, sites: Bool = false
  ) -> Self {
    Self(measure: .retains, limit: limit, reach: reach, showsSites: sites)
  }

  /// Requires that blocks given to the test are freed, by any thread.
  ///
  /// A test that fills a cache keeps blocks, too. Memory that the runtime asks for itself, to run tasks and
  /// dispatch queues, is left out. See ``allocations(atMost:reach:sites:)``.
  public static var noLeaks: Self { Self(measure: .leaks, limit: 0, reach: .task) }

  /// Requires that the descriptors that the test opens are closed, by any thread, each once.
  ///
  /// ```swift
  /// @Test(.noDescriptorLeaks)
  /// func leavesNothingOpen() throws { try loadConfiguration() }
  /// ```
  ///
  /// The issue has the path of each descriptor, and the backtrace of the call that opened it. See
  /// <doc:TestingForDescriptorLeaks>.
  public static var noDescriptorLeaks: Self { noDescriptorLeaks() }

  /// Has the descriptors that the test opens be closed, but for some.
  ///
  /// ```swift
  /// @Test(.noDescriptorLeaks(allowing: .path("/var/log/*"), .callers(in: "libsqlite3.so.0")).warmed)
  /// func closesAllButTheLog() throws { try loadConfiguration() }
  /// ```
  ///
  /// - Parameters:
  ///   - allowances: Descriptors that may stay open.
  ///   - reach: Whose calls are looked at.
  public static func noDescriptorLeaks(
    allowing allowances: DescriptorAllowance..., reach: Reach<AnyBody> = .task
  ) -> Self {
    Self(measure: .descriptors(allowing: allowances), limit: 0, reach: reach)
  }
}
#endif
#endif
