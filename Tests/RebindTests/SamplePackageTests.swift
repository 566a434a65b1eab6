import TestSupport
import Testing

/// The samples that are packages with tests of their own.
@Suite(.serialized) struct SamplePackageTests {
  @Test(arguments: [
    ("fault-injection", "Test run with 8 tests in 3 suites passed"),
    ("network-double", "Test run with 4 tests in 2 suites passed"),
  ])
  func testsPass(name: String, summary: String) throws {
    let result = try SamplePackage(name).swift("test")
    #expect(result.succeeded, "\(result.output)\(result.errorOutput)")
    #expect(result.output.contains(summary))
  }
}
