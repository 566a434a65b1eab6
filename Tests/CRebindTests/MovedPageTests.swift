import Foundation
import TestSupport
import Testing

/// Dynamic symbols that share a page, or only a segment, with code: in a child process.
@Suite struct MovedPageTests {
  /// GNU ld as it does on AArch64, with one segment of symbols and code.
  private static let layout = ["-fuse-ld=bfd", "-Wl,-z,noseparate-code"]

  @Test(arguments: Compiler.all, [[], ["-Wl,-z,now", "-O1"]])
  func aCopyIsMovedOverThePageAndThePageBack(compiler: Compiler, flags: [String]) throws {
    let bench = try Workbench(compiler)
    let libraries = try [("small.so", []), ("large.so", ["-DLARGE"])].map { name, size in
      try bench.library(
        name, "moved-page.c", flags: Self.layout + flags + ["-DLIBRARY"] + size)
    }
    let program = try bench.program("moved-page", "moved-page.c", flags: Self.layout + flags)
    try bench.expect(program, libraries, output: "moved and moved back\n")
  }

  /// Neither of code nor of anything else.
  @Test func noPageIsAskedForThatIsWritableAndExecutable() throws {
    let bench = try Workbench(.gcc)
    let libraries = try [("small.so", []), ("large.so", ["-DLARGE"])].map { name, size in
      try bench.library(name, "moved-page.c", flags: Self.layout + ["-DLIBRARY"] + size)
    }
    let program = try bench.program("moved-page", "moved-page.c", flags: Self.layout)
    let log = bench.builder.directory.url.appending(path: "trace").path
    let result = try run(
      "timeout",
      ["--signal=KILL", "60", "strace", "-f", "-qq", "-e", "trace=mmap,mprotect,mremap", "-o", log]
        + [program] + libraries + ["single"])
    #expect(result.output == "moved and moved back\n")
    let calls = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
    #expect(calls.contains { $0.contains("MREMAP_DONTUNMAP") })
    #expect(calls.allSatisfy { !($0.contains("PROT_WRITE") && $0.contains("PROT_EXEC")) })
  }
}
