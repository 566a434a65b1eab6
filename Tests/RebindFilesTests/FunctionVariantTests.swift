import Foundation
import RebindFiles
import TestSupport
import Testing

/// Files are searched for the same other names as loaded images.
@Suite struct FunctionVariantTests {
  @Test func patternsAreTheCores() throws {
    let source = try String(
      contentsOf: Places.core.appending(path: "diagnose.c"), encoding: .utf8)
    let table = try #require(source.firstMatch(of: /patterns\[\] = \{\n((?:.*\n)*?)\};/))
    let patterns = table.1.matches(of: /\{"(\w*)", "(\w*)"\}/).map { "\($0.1)*\($0.2)" }
    #expect(patterns.count > 10)
    #expect(FunctionVariants.patterns.map { "\($0.prefix)*\($0.suffix)" } == patterns)
  }
}
