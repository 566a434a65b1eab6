import Foundation
import TestSupport
import Testing

/// Annotation records are read from bytes that anything may have written.
@Suite(.measured) struct RecordTests {
  /// Records of both classes and byte orders, each fault, and broken sections from a seed:
  /// `records.c` says what is checked. Sanitizers and pages that cannot be touched catch a
  /// read outside of the section.
  @Test(arguments: zip(Compiler.all, ["42", "0x9e3779b97f4a7c15"]))
  func brokenSectionsAreReadToTheEnd(compiler: Compiler, seed: String) throws {
    let builder = try FixtureBuilder(compiler)
    let flags = [
      "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-I", Places.core.path,
    ]
    let program: String
    do {
      // The reader is instrumented, too.
      program = try builder.build(
        "records", from: ["records.c", "../../Sources/CRebind/record.c"], flags: flags,
        withCore: false
      ).path
    } catch let failure as CompilationFailure where failure.output.contains("asan") {
      try Test.cancel("\(compiler) has no sanitizers: \(failure.output)")
    }
    let result = try run("timeout", ["--signal=KILL", "120", program, "40000", seed])
    #expect(result.errorOutput == "")
    #expect(result.output == "read to the end\n")
    #expect(result.succeeded)
  }
}
