import Outline
import RebindCounting
import RebindTesting
import Testing

/// The optimiser leaves retains out, so that a budget of them is one for each build.
#if DEBUG
private let retains = 400
#else
private let retains = 100
#endif

/// Does once what the tests count: the first time Swift's runtime allocates what it knows of types, and
/// keeps that.
private struct WarmUp: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    #expect(outline(of: BudgetTests.text).sections.count == 2)
    try await body()
  }
}

@Suite(WarmUp()) struct BudgetTests {
  fileprivate static let text = """
    # Birds that wade at low tide
    ## Oystercatcher and its kin
    ## Curlew, whimbrel and godwit
    # Birds that dive from above

    Some words about them.
    """

  /// The whole test is counted. A section is an object; its title is none, and its list of sections is
  /// one if it has some.
  @Test(.allocations(atMost: 25), .noLeaks)
  func anOutlineIsFreed() {
    #expect(outline(of: Self.text).sections.count == 2)
  }

  @Test(.retains(atMost: retains))
  func retainsAreFew() {
    #expect(headingCount(of: Self.text) == 4)
  }

  /// The body is counted, and the number itself is looked at.
  @Test func nothingIsCopied() throws {
    let text = Self.text
    _ = headingCount(of: text)
    let counts = try countingAllocations(reach: .thread) { headingCount(of: text) }
    #expect(counts.allocations == 0, "\(counts)")
  }

  /// Twice the headings take twice the objects, and no more.
  @Test func theCostIsLinear() throws {
    func objects(_ copies: Int) throws -> Int? {
      let text = String(repeating: "# A heading of some length\n", count: copies)
      return try countingAllocations(reach: .thread) { outline(of: text) }.calls(
        of: "swift_allocObject")
    }
    let few = try #require(try objects(100))
    let many = try #require(try objects(200))
    #expect(many <= 2 * few)
  }
}
