import Foundation
import TestSupport
import Testing

/// How tests run programs.
@Suite(.measured) struct SubprocessTests {
  /// A tool of Swift's has three tries, any other program has one.
  @Test(arguments: [("swift", 3, 0), ("swift", 4, SIGSEGV), ("tool", 1, 0), ("tool", 2, SIGSEGV)])
  func toolsOfSwiftRunAgainAfterACrash(name: String, goodRun: Int, status: Int32) throws {
    let folder = try TemporaryDirectory()
    let tool = folder.url.appending(path: name)
    let script = """
      echo >>"$0.runs"
      [ "$(wc -l <"$0.runs")" -ge \(goodRun) ] || kill -SEGV $$
      """
    try writeShellProgram(script, to: tool.path)

    let result = try run(tool.path)

    #expect(result.status == status)
    #expect(result.wasSignalled == (status != 0))
    let runs = try String(contentsOf: folder.url.appending(path: "\(name).runs"), encoding: .utf8)
    #expect(runs.count == min(goodRun, name == "swift" ? 3 : 1))
  }
}
