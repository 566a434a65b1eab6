import Foundation
import TestSupport
import Testing

/// Calls on many threads while others rebind: each case in a child process, one at a time.
@Suite(.serialized, .measured) struct ThreadedCallTests {
  @Test(arguments: Compiler.all, Sanitizer.allCases)
  func everyCallIsCountedOnce(compiler: Compiler, sanitizer: Sanitizer) throws {
    let bench = try Workbench(compiler, sanitizer: sanitizer)
    try bench.library("libcounting.so", "counting-library.c")
    let plugins = try Workbench.bindings.enumerated().map { index, flags in
      try bench.library(
        "plugin\(index).so", "counting-library.c", flags: ["-DCALLER"] + flags, needs: ["counting"])
    }
    let program = try bench.program(
      "concurrent-counts", "concurrent-counts.c", flags: ["-Wl,-z,lazy"], needs: ["counting"])
    try bench.expect(program, ["2000"] + plugins, output: "every call counted once\n")
  }

  // clang's sanitizers are part of the program, and so is their dlopen, which then goes
  // through no slot that could give notice.
  @Test(arguments: [
    (Compiler.gcc, Sanitizer.none), (.gcc, .thread), (.gcc, .address), (.clang, .none),
  ])
  func aChainHoldsUnderThreads(build: (Compiler, Sanitizer)) throws {
    let bench = try Workbench(build.0, sanitizer: build.1)
    let program = try bench.program("concurrent-chain", "concurrent-chain.c")
    try bench.expect(program, ["2"] + bench.plugins(), output: "each call was counted once\n")
  }
}
