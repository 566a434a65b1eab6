import Foundation
import TestSupport
import Testing

/// What the compiler has to accept, and what to refuse.
@Suite struct CompileTimeTests {
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

  /// What the README shows of RebindTesting compiles.
  @Test func readmeSnippets() throws {
    let readme = try String(
      contentsOf: Places.package.appending(path: "README.md"), encoding: .utf8)
    let snippets = readme.components(separatedBy: "<!-- testing snippet -->\n```swift\n")
      .dropFirst().compactMap { $0.components(separatedBy: "\n```").first }
    try #require(!snippets.isEmpty)
    for snippet in snippets {
      let result = try compile(snippet)
      #expect(result.errorOutput == "")
      #expect(result.succeeded)
    }
  }
}

/// Compiles a main file against the RebindTesting module that was built beside the
/// tests, far enough for every diagnostic.
private func compile(_ source: String) throws -> ProcessResult {
  let scratch = try TemporaryDirectory()
  let file = scratch.url.appending(path: "main.swift")
  try Data("import Glibc\nimport RebindTesting\n\(source)\n".utf8).write(to: file)
  let headers = ["CRebind", "CRebindTesting"].map {
    Places.package.appending(path: "Sources/\($0)/include").path
  }
  return try run(
    "swiftc",
    [
      "-emit-sil", "-o", "/dev/null", "-swift-version", "6",
      "-I", Places.products.appending(path: "Modules").path,
    ] + headers.flatMap { ["-Xcc", "-I", "-Xcc", $0] } + [file.path])
}
