// The toolchain has no Testing to link statically.
#if canImport(Testing)
public import Testing

/// Holds a budget of allocations or retains while a test runs, or that no block is left over.
///
/// On a suite it holds for each test. A test that exceeds its budget has an issue with all numbers. So
/// has a test whose calls cannot be counted: a budget is never kept by mistake.
///
/// The numbers are attached to a test that exceeds its budget, too.
///
/// If a test has several budgets and one of them counts the process, all of them do.
public struct BudgetTrait: TestTrait, SuiteTrait, TestScoping {
  /// The number that is limited, in words and of counts.
  enum Measure {
    case allocations, retains, leaks
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
    await growTaskMemory()
    let kinds = budgets.reduce(into: CountedKinds.callingImages) {
      $0.formUnion($1.showsSites ? [$1.measure.kinds, .sites] : $1.measure.kinds)
    }
    let reach = budgets.contains { $0.reach == .process } ? Reach.process : .task
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

  private func name(isOne: Bool = false) -> String {
    switch self {
    case .allocations: isOne ? "allocation" : "allocations"
    case .retains: isOne ? "retain" : "retains"
    case .leaks: isOne ? "block that is not freed" : "blocks that are not freed"
    }
  }

  private func number(in counts: AllocationCounts) -> Int? {
    switch self {
    case .allocations: counts.allocations
    case .retains: counts.retains
    case .leaks: counts.leakedBlocks
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

  /// Has the blocks that the test is given be freed, by whatever thread.
  ///
  /// A test that fills a cache keeps blocks, too. Memory that the runtime asks for itself, to run tasks and
  /// dispatch queues, is left out. See ``allocations(atMost:reach:sites:)``.
  public static var noLeaks: Self { Self(measure: .leaks, limit: 0, reach: .task) }
}
#endif
