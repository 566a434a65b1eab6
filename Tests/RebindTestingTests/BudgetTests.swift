import Dispatch
import RebindCounting
@testable import RebindTesting
import TestSupport

@Suite(.measured) struct BudgetTests {
  private final class Node: @unchecked Sendable {
    var next: Node?
  }

  /// Memory that a test keeps.
  nonisolated(unsafe) private static var kept: Node?
  nonisolated(unsafe) private static var leaked: Node?

  @inline(never)
  private static func makeNodes(_ count: Int) -> Node? {
    var head: Node?
    for _ in 0..<count {
      let node = Node()
      node.next = head
      head = node
    }
    return head
  }

  @Test(.allocations(atMost: 0), .noLeaks) func nothingIsAllocated() {}

  @Test(.allocations(atMost: 0), .noLeaks) func nothingIsAllocatedLater() async {}

  /// The memory of traits that are written before a budget is not counted.
  @Test(
    .failing("getppid", returning: 5), .frozenTime(.seconds(7)), .recordingCalls("getpgid"),
    .allocations(atMost: 0), .noLeaks)
  func otherTraitsAreFree() { #expect(getppid() == 5 && time(nil) == 7) }

  /// But for types that the test uses for the first time.
  @Test(arguments: [BudgetTrait.allocations(atMost: 0), .noLeaks])
  func expectationsAreFree(trait: BudgetTrait) async throws {
    try await performAgain(trait) {
      for i in 0..<100 { #expect(i < 100) }
    }
  }

  /// In a debug build the call of the test itself retains something.
  @Test(.retains(atMost: 5), .allocations(atMost: 0)) func nothingIsRetained() {}

  @Test(.allocations(atMost: 25)) func theBudgetIsKept() {
    withExtendedLifetime(Self.makeNodes(20)) {}
  }

  /// A cache that the first run fills is not counted.
  @Suite struct Warmed {
    nonisolated(unsafe) private static var runs = 0
    nonisolated(unsafe) private static var cache: Node?

    @Test(.allocations(atMost: 1).warmed, .noLeaks) func once() {
      Self.runs += 1
      if Self.cache == nil { Self.cache = BudgetTests.makeNodes(20) }
      withExtendedLifetime(BudgetTests.makeNodes(1)) {}
      #expect(Self.runs <= 2)
    }

    @Test(.hasIssue(["20 allocations, at most 19"]), .allocations(atMost: 19).warmed)
    func isExceededAllTheSame() { withExtendedLifetime(BudgetTests.makeNodes(20)) {} }
  }

  @Test(
    .hasIssue(["20 allocations, at most 19", "malloc", "called by libswiftCore.so: malloc 20"]))
  func isExceeded() async throws {
    // The runtime allocates for a class's first object.
    withExtendedLifetime(Self.makeNodes(1)) {}
    try await perform(.allocations(atMost: 19)) { withExtendedLifetime(Self.makeNodes(20)) {} }
  }

  @Test(.hasIssue(["retains, at most 0", "swift_retain", "called by "]))
  func retainsAreTooMany() async throws {
    try await perform(.retains(atMost: 0)) {
      let node = Node()
      Self.kept = node
      let other = Self.kept
      withExtendedLifetime((node, other)) {}
    }
  }

  @Test(.hasIssue(["1 block that is not freed, at most 0", "live blocks"]))
  func isLeaked() async throws {
    try await perform(.noLeaks) { Self.leaked = Node() }
  }

  /// Expectations allocate by the runtime, which is not counted, and keep nothing. The code of the test that
  /// they call is counted.
  @Test func expectationsAreSpared() async throws {
    struct Failure: Error {}
    func count(_ expectations: Int) async throws -> AllocationCounts {
      try await countingAllocations(
        of: [.standard, .callingImages], reach: .task, sparesTesting: true, findsLeaks: true
      ) {
        for i in 0..<expectations { #expect(i < expectations) }
        #expect(Self.makeNodes(3)?.next != nil)
        #expect(throws: Failure.self) {
          withExtendedLifetime(Self.makeNodes(4)) {}
          throw Failure()
        }
      }
    }
    _ = try await count(1)
    let one = try await count(1)
    let many = try await count(100)
    #expect(one.allocations == many.allocations && many.leakedBlocks == 0, "\(many)")
    // The nodes, and the error.
    #expect((8..<10).contains(try #require(many.allocations)), "\(many)")
  }

  // MARK: - Leaks

  /// The runtime frees memory of tasks when none runs, or keeps it.
  @Test(.notInCheck) func tasksLeakNothing() async throws {
    try await performAgain(.noLeaks) {
      for _ in 0..<10 {
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<10 { group.addTask { withExtendedLifetime(Self.makeNodes(10)) {} } }
        }
        // Results that the group keeps until it frees the children.
        let nodes = await withTaskGroup(of: Node?.self) { group in
          for _ in 0..<10 { group.addTask { Self.makeNodes(10) } }
          return await group.reduce(into: [Node?]()) { $0.append($1) }
        }
        withExtendedLifetime(nodes) {}
        async let child = Self.makeNodes(10)
        let task = Task { [nodes = nodes.count] in Self.makeNodes(nodes) }
        withExtendedLifetime((await child, await task.value)) {}
        await Task.yield()
      }
      try await Task.sleep(for: .milliseconds(1))
      try await Task.sleep(for: .milliseconds(2), clock: .suspending)
    }
  }

  /// A queue frees what the body has allocated.
  @Test func queuesLeakNothing() async throws {
    try await performAgain(.noLeaks) {
      await withCheckedContinuation { continuation in
        let node = Self.makeNodes(10)
        DispatchQueue.global().async {
          withExtendedLifetime(node) {}
          continuation.resume()
        }
      }
    }
  }

  /// A block is a leak, though as many older ones are freed.
  @Test(.hasIssue(["1 block that is not freed, at most 0", "leaked blocks"]))
  func isLeakedBesideFrees() async throws {
    let old = UInt(bitPattern: malloc(10))
    let leaked = Leaked()
    try await perform(.noLeaks) {
      free(UnsafeMutableRawPointer(bitPattern: old))
      leaked.block = realloc(malloc(10), 1000)
    }
    free(leaked.block)
  }

  /// Where blocks are not kept, or too many for the table, their number does not stand for them.
  @Test func tooManyBlocksKeepNoBudget() throws {
    let counts = try countingAllocations(of: .memory) { withExtendedLifetime(Self.makeNodes(1)) {} }
    try #require(counts.leakedBlocks == nil && counts.liveBlocks == 0)
    let excess = BudgetTrait.noLeaks.measure.excess(in: counts, limit: 0)
    #expect(excess?.contains("cannot be counted: the test is given too many") == true)
  }

  @Test(.hasIssue(["1 block that is not freed, at most 0"]))
  func isLeakedByTasks() async throws {
    let leaked = Leaked()
    try await performAgain(.noLeaks) {
      free(leaked.block)
      await withTaskGroup(of: Void.self) { group in
        group.addTask { leaked.block = malloc(10) }
        group.addTask { withExtendedLifetime(Self.makeNodes(10)) {} }
      }
      try await Task.sleep(for: .milliseconds(1))
    }
    free(leaked.block)
  }

  /// A block for a body that is made once at a time.
  private final class Leaked: @unchecked Sendable {
    var block: UnsafeMutableRawPointer?
  }

  @Test(
    .hasIssue(["2 allocations, at most 1", "calls of malloc, ", "makeNodes", "BudgetTests.swift:"]))
  func issueHasSites() async throws {
    withExtendedLifetime(Self.makeNodes(1)) {}
    try await perform(.allocations(atMost: 1, sites: true)) {
      withExtendedLifetime(Self.makeNodes(2)) {}
    }
  }

  @Test(.hasIssue(["allocations, at most 0", "called by libswiftCore.so: malloc"]))
  func issueOfTheProcessNamesImages() async throws {
    try await perform(.allocations(atMost: 0, reach: .process)) {
      withExtendedLifetime(Self.makeNodes(20)) {}
    }
  }

  /// The second time, as the runtime keeps what it makes of types at their first use.
  private func performAgain(
    _ trait: BudgetTrait, _ body: @Sendable () async throws -> Void
  ) async throws {
    try await body()
    try await perform(trait, body)
  }

  /// Only the body of a test is counted, whatever a body is.
  private func perform(
    _ trait: BudgetTrait, _ body: @Sendable () async throws -> Void
  ) async throws {
    try await trait.provideScope(
      for: try #require(Test.current), testCase: nil, performing: body)
  }
}

extension Trait where Self == IssueTrait {
  /// Has the test record one issue whose text has these parts.
  static func hasIssue(_ parts: [String]) -> Self { Self(parts: parts) }
}

/// Expects an issue.
struct IssueTrait: TestTrait, TestScoping {
  var parts: [String]

  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    let parts = parts
    try await withKnownIssue {
      try await function()
    } matching: { issue in
      let text = issue.comments.map(\.rawValue).joined(separator: "\n")
      return parts.allSatisfy(text.contains)
    }
  }
}
