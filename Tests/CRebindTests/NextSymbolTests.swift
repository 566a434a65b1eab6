import Foundation
import TestSupport
import Testing

/// What replacements get that ask dlsym or dlvsym for the function behind them.
@Suite struct NextSymbolTests {
  @Test(arguments: Compiler.all, [["-Wl,-z,lazy"], ["-Wl,-z,now"], ["-fno-plt", "-O1"]])
  func isTheFunctionBehind(compiler: Compiler, binding: [String]) throws {
    try check(compiler, flags: binding, libraryFlags: [])
  }

  @Test func isWhatAResolverGives() throws {
    try check(.gcc, flags: [], libraryFlags: ["-DIFUNC"])
  }

  private func check(_ compiler: Compiler, flags: [String], libraryFlags: [String]) throws {
    let bench = try Workbench(compiler)
    let map = Places.fixtures.appending(path: "next-symbol.map").path
    let value = try bench.library(
      "libvalue.so", "next-symbol-library.c",
      flags: libraryFlags + ["-Wl,--version-script=\(map)"])
    try bench.library("libhooks.so", "next-symbol-hooks.c", flags: flags)
    try bench.library("libcaller.so", "next-symbol-library.c", flags: ["-DCALLER"] + flags)
    // Not optimised: code without PLT may keep what a slot held.
    let program = try bench.program(
      "program", "next-symbol.c",
      flags: ["-Wl,--no-as-needed"] + flags.filter { $0.hasPrefix("-Wl") },
      needs: ["hooks", "caller", "value"])
    try bench.expect(program, [value, "100"], output: "what is next\n")
  }
}
