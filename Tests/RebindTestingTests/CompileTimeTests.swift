import TestSupport
import Testing

/// The code that the compiler has to accept, and to refuse.
@Suite(.measured) struct CompileTimeTests {
  @Test func typesOfCAreAccepted() throws {
    let result = try compile(
      """
      try withRebinding("open", { (original, path: UnsafePointer<CChar>, flags: CInt) -> CInt in
        original(path, flags)
      }) {}
      """)
    #expect(result.errorOutput == "")
    #expect(result.succeeded)
  }

  @Test(arguments: ["String", "[Int]", "(Int, Int)", "any Error"])
  func argumentsOfOtherTypesAreRefused(type: String) throws {
    let result = try compile(
      "try withRebinding(\"open\", { (_, argument: \(type)) -> CInt in 1 }) {}")
    #expect(!result.succeeded)
    #expect(
      result.errorOutput.contains(
        /requires that '.*' conform to 'CValue'|type '.*' cannot conform to 'CValue'/))
    #expect(result.errorOutput.contains("'\(type)'"))
  }

  @Test func resultsOfOtherTypesAreRefused() throws {
    let result = try compile("try withRebinding(\"open\", { (_) -> String in \"\" }) {}")
    #expect(!result.succeeded)
    #expect(result.errorOutput.contains("'String'"))
  }

  @Test func throwingHandlersAreRefused() throws {
    let result = try compile(
      "try withRebinding(\"open\", { (_) -> CInt in throw CancellationError() }) {}")
    #expect(!result.succeeded)
    #expect(result.errorOutput.contains("throwing function"))
  }
}

private func compile(_ source: String) throws -> ProcessResult {
  try compileSwift("import Glibc\nimport RebindTesting\n\(source)")
}
