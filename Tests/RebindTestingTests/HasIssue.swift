import Synchronization
import TestSupport

/// Expects an issue of the traits behind it.
struct HasIssue: TestTrait, SuiteTrait, TestScoping {
  let text: String
  let severity: Issue.Severity
  let count: Int

  func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
    test.isSuite || testCase != nil ? self : nil
  }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let found = Mutex(0)
    try await withKnownIssue(isIntermittent: true) {
      try await function()
    } matching: { issue in
      // An error has the place of the test only later.
      let isMeant =
        issue.error.map { "\($0)".contains(text) }
        ?? (issue.severity == severity && issue.comments.contains { $0.rawValue.contains(text) }
          && (test.isSuite || issue.sourceLocation == test.sourceLocation))
      if isMeant { found.withLock { $0 += 1 } }
      return isMeant
    }
    #expect(found.withLock { $0 } == count, "\(test.name)", sourceLocation: test.sourceLocation)
  }
}

extension Trait where Self == HasIssue {
  static func hasIssue(_ text: String, severity: Issue.Severity, count: Int = 1) -> Self {
    Self(text: text, severity: severity, count: count)
  }
}
