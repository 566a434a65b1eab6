import Foundation
import TestSupport
import Testing

/// Other threads and forks, each case in a child process: one at a time, as time matters in
/// many. What a fixture shows is said in its first lines.
@Suite(.serialized, .measured) struct RobustnessTests {
  @Test(arguments: ["all", "images", "loaded"])
  func noHookIsLostToTheLazyResolver(scope: String) throws {
    try race(scope, expecting: "0 lost\n")
  }

  /// The control: without settling the same race is lost.
  @Test func aNaiveStoreIsLostToTheLazyResolver() throws {
    try race("naive", expecting: "a naive store is lost\n")
  }

  private func race(_ mode: String, expecting output: String) throws {
    let bench = try Workbench(.gcc)
    try bench.library("librace.so", "race-library.c")
    let callers = try bench.library(
      "libcallers.so", "race-library.c", flags: ["-DCALLERS", "-Wl,-z,lazy"], needs: ["race"])
    let program = try bench.program("race", "race.c")
    try bench.expect(program, [mode, callers], output: output)
  }

  /// A resolver that is asleep on the loader's lock, with what it has found.
  @Test func aBlockedResolverDoesNotHaveTheLastWord() throws {
    let bench = try Workbench(.gcc)
    let slow = try bench.library("slow.so", "blocked-resolver-library.c", flags: ["-DSLOW"])
    try bench.library("libdefiner.so", "blocked-resolver-library.c")
    try bench.library(
      "libcaller.so", "blocked-resolver-library.c", flags: ["-DCALLER", "-Wl,-z,lazy"])
    let root = try bench.library(
      "root.so", "blocked-resolver-library.c", flags: ["-DROOT", "-Wl,--no-as-needed"],
      needs: ["caller", "definer"])
    let program = try bench.program("blocked-resolver", "blocked-resolver.c")
    try bench.expect(program, [slow, root], output: "had the last word\n")
  }

  @Test(arguments: Compiler.all)
  func loadsInConstructorsAndCallbacksDoNotWaitForEachOther(compiler: Compiler) throws {
    let bench = try Workbench(compiler)
    let nesting = try bench.library("nesting.so", "nested-loads-library.c")
    let inner = try bench.library("inner.so", "plugin.c")
    let other = try bench.library("other.so", "plugin.c")
    let program = try bench.program("nested-loads", "nested-loads.c")
    try bench.expect(program, [nesting, inner, other], output: "told in order\n")
  }

  @Test(arguments: Compiler.all)
  func aPredicateMayCallTheInterface(compiler: Compiler) throws {
    let bench = try Workbench(compiler)
    let program = try bench.program("predicate", "predicate.c")
    try bench.expect(program, bench.plugins(), output: "asked once\n")
  }

  @Test(arguments: Workbench.bindings)
  func aChainLeadsOnInLaterImages(flags: [String]) throws {
    let bench = try Workbench(.gcc)
    let plugin = try bench.library("plugin.so", "plugin.c", flags: flags)
    let program = try bench.program("chain-later", "chain-later.c")
    try bench.expect(program, [plugin], output: "each led to the next\n")
  }

  @Test func imagesAreToldOfInTheLoadersOrder() throws {
    let bench = try Workbench(.gcc)
    try bench.library("libdependency.so", "nested-dependency.c")
    let library = try bench.library(
      "dependent.so", "nested-dependency.c", flags: ["-DDEPENDENT"], needs: ["dependency"])
    let program = try bench.program("observe-order", "observe-order.c")
    try bench.expect(program, bench.plugins() + [library], output: "in the loader's order\n")
  }

  @Test(arguments: Compiler.all)
  func memoryMayRunOutAnywhere(compiler: Compiler) throws {
    let bench = try Workbench(compiler)
    let program = try bench.program("out-of-memory", "out-of-memory.c")
    try bench.expect(program, bench.plugins(), output: "nothing was lost\n")
  }

  @Test(arguments: Compiler.all)
  func predicatesMayServeRestoreAndFork(compiler: Compiler) throws {
    let bench = try Workbench(compiler)
    try bench.library("libdependency.so", "nested-dependency.c")
    let library = try bench.library(
      "dependent.so", "nested-dependency.c", flags: ["-DDEPENDENT"], needs: ["dependency"])
    let plugin = try bench.library("plugin.so", "plugin.c")
    let program = try bench.program("predicate-nested", "predicate-nested.c")
    try bench.expect(program, [library, plugin], output: "asked in order\n")
  }

  @Test(arguments: Compiler.all)
  func childrenOfAThreadedProcessCanRebind(compiler: Compiler) throws {
    let bench = try Workbench(compiler)
    let program = try bench.program("fork", "fork.c")
    try bench.expect(program, output: "every child did its work\n")
  }

  /// For longer than the core waits, too.
  @Test(arguments: Workbench.bindings + [["-fno-plt", "-O1", "-Wl,-z,norelro"]], ["20", "450"])
  func anImageMayBeHalfLoaded(flags: [String], milliseconds: String) throws {
    let bench = try Workbench(.gcc)
    try bench.library("libslow.so", "half-loaded-library.c", flags: ["-DSLOW"])
    let library = try bench.library(
      "half-loaded.so", "half-loaded-library.c", flags: flags, needs: ["slow"])
    let program = try bench.program("half-loaded", "half-loaded.c")
    try bench.expect(program, [library, milliseconds], output: "served and restored\n")
  }
}
