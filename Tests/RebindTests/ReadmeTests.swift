import Foundation
import TestSupport
import Testing

/// What the README shows compiles.
@Suite(.measured) struct ReadmeTests {
  @Test func swiftSnippetsCompile() throws {
    let readme = try String(
      contentsOf: Places.package.appending(path: "README.md"), encoding: .utf8)
    let snippets = readme.components(separatedBy: "<!-- snippet -->\n```swift\n").dropFirst()
      .compactMap { $0.components(separatedBy: "\n```").first }
    try #require(!snippets.isEmpty)
    for snippet in snippets {
      let result = try compileSwift(snippet)
      #expect(result.errorOutput == "")
      #expect(result.succeeded)
    }
  }
}
