import Glibc
import RebindCounting
import RebindTesting
import TestSupport
import Testing

@Suite(.measured) struct BudgetTests {
  private final class Node {
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

  /// In a debug build the call of the test itself retains something.
  @Test(.retains(atMost: 5), .allocations(atMost: 0)) func nothingIsRetained() {}

  @Test(.allocations(atMost: 25)) func theBudgetIsKept() {
    withExtendedLifetime(Self.makeNodes(20)) {}
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

  @Test(.hasIssue(["1 blocks that are not freed, at most 0", "live blocks"]))
  func isLeaked() async throws {
    try await perform(.noLeaks) { Self.leaked = Node() }
  }

  /// malloc is counted, recorded and made to fail at once. A call that fails allocates nothing. It is
  /// counted only if the fault lies below the counter, which depends on what came first in the process.
  @Test func countedUnderAFaultAndARecording() throws {
    var failures = 0
    var recorded = 0
    var counts: AllocationCounts?
    try withRecordedCalls(of: "malloc", reach: .thread) { recording in
      try withFailing("malloc", onCall: 2, when: .argument(0, is: 24), reach: .thread) {
        counts = try countingAllocations(of: .memory, reach: .thread) {
          for _ in 0..<3 {
            let block = malloc(24)
            failures += block == nil ? 1 : 0
            free(block)
          }
        }
      }
      recorded = recording.calls(of: "malloc").count { $0.arguments.first == 24 }
    }
    // The fault is younger than the recording, and takes its call.
    #expect(failures == 1 && recorded >= 2)
    #expect([2, 3].contains(counts?.calls(of: "malloc")))
    #expect(counts?.allocations == 2 && counts?.frees == 2 && counts?.bytes == 48)
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
