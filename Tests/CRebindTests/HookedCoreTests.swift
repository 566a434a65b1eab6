import Foundation
import TestSupport
import Testing

/// Hooks on what the core needs itself, and several on one function: each case in a child process.
@Suite(.measured) struct HookedCoreTests {
  @Test(arguments: Compiler.all, [["-Wl,-z,lazy"], ["-Wl,-z,now", "-O2"]])
  func whatTheCoreMightNeedCanBeRebound(compiler: Compiler, flags: [String]) throws {
    let bench = try Workbench(compiler)
    let program = try bench.program(
      "hook-everything", "hook-everything.c", flags: ["-fno-builtin"] + flags)
    try bench.expect(program, output: "each hook ran once a call\n")
  }

  @Test(arguments: Compiler.all)
  func aReplacementForMallocMayPrint(compiler: Compiler) throws {
    let bench = try Workbench(compiler)
    let program = try bench.program("printing-malloc", "printing-malloc.c")
    try bench.expect(program, output: "printed once a call\n")
  }

  @Test(arguments: Workbench.bindings)
  func twoCopiesMayHookOneFunction(flags: [String]) throws {
    let bench = try Workbench(.gcc)
    let plugin = try bench.library(
      "copy.so", "two-copies-plugin.c", flags: ["-Wl,-Bsymbolic"], withCore: true)
    let later = try (1...4).map { number in
      try bench.library("later\(number).so", "plugin.c", flags: flags)
    }
    let program = try bench.program("two-copies", "two-copies.c")
    try bench.expect(program, [plugin] + later, output: "each active hook ran once a call\n")
  }

  // MARK: - Chains

  @Test(arguments: Workbench.bindings)
  func aSharedReplacementStaysUntilBothAreRestored(flags: [String]) throws {
    let bench = try Workbench(.gcc)
    let program = try bench.program("same-replacement", "same-replacement.c", flags: flags)
    try bench.expect(program, bench.plugins(flags: flags), output: "each batch kept it\n")
  }

  @Test func anOvertakenSlotIsFoundAgain() throws {
    let bench = try Workbench(.gcc)
    let caller = try bench.library("caller.so", "plugin.c", flags: ["-Wl,-z,lazy"])
    let other = try bench.library("other.so", "plugin.c")
    let program = try bench.program("overtaken", "overtaken.c")
    try bench.expect(program, [caller, other], output: "found again\n")
  }
}
