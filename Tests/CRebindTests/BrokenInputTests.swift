import Foundation
import TestSupport
import Testing

/// Input that is broken, or looks so: each case in a child process.
@Suite(.measured) struct BrokenInputTests {
  @Test(
    arguments: [(Compiler.gcc, Sanitizer.none), (.gcc, .address), (.clang, .address)],
    ["-Wl,--hash-style=gnu", "-Wl,--hash-style=sysv", "-Wl,--hash-style=both"])
  func aBrokenImageIsRefused(build: (Compiler, Sanitizer), hashStyle: String) throws {
    let bench = try Workbench(build.0, sanitizer: build.1)
    let library = try bench.library(
      "broken.so", "broken-library.c", flags: ["-fuse-ld=bfd", "-Wl,-z,lazy", hashStyle])
    let tables = try bench.program("broken-dynamic", "broken-dynamic.c")
    try bench.expect(tables, [library], output: "refused\n")
    let details = try bench.program("broken-details", "broken-details.c")
    try bench.expect(details, [library], output: "told\n")
    let contents = try bench.program("broken-contents", "broken-contents.c")
    try bench.expect(contents, ["1", library], output: "unharmed\n")
  }

  @Test(arguments: ["relro", "norelro"])
  func assignedPointersAreLeftAlone(relro: String) throws {
    let bench = try Workbench(.gcc)
    let library = try bench.library(
      "assigned.so", "assigned-pointers.c",
      flags: ["-DLIBRARY", "-Wl,-Bsymbolic", "-Wl,-z,\(relro)"])
    let program = try bench.program(
      "assigned-pointers", "assigned-pointers.c", flags: ["-Wl,-z,\(relro)"])
    try bench.expect(program, [library], output: "left as assigned\n")
  }
}
