import Foundation
import TestSupport
import Testing

/// Other threads, other copies, forks, images that come and go, and broken input:
/// each case in a child process. What a fixture shows is said in its first lines.
@Suite(.serialized) struct RobustnessTests {
  /// Ways to link a library that change when, and through which slots, it is bound.
  static let bindings = [["-Wl,-z,lazy"], ["-Wl,-z,now"], ["-fno-plt", "-O1"]]

  // MARK: - Threads

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

  @Test(arguments: Compiler.all, Sanitizer.allCases)
  func everyCallIsCountedOnce(compiler: Compiler, sanitizer: Sanitizer) throws {
    let bench = try Workbench(compiler, sanitizer: sanitizer)
    try bench.library("libcounting.so", "counting-library.c")
    let plugins = try Self.bindings.enumerated().map { index, flags in
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

  @Test(arguments: bindings)
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
  @Test(arguments: bindings + [["-fno-plt", "-O1", "-Wl,-z,norelro"]], ["20", "450"])
  func anImageMayBeHalfLoaded(flags: [String], milliseconds: String) throws {
    let bench = try Workbench(.gcc)
    try bench.library("libslow.so", "half-loaded-library.c", flags: ["-DSLOW"])
    let library = try bench.library(
      "half-loaded.so", "half-loaded-library.c", flags: flags, needs: ["slow"])
    let program = try bench.program("half-loaded", "half-loaded.c")
    try bench.expect(program, [library, milliseconds], output: "served and restored\n")
  }

  // MARK: - Rebinding what the core might need

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

  @Test(arguments: bindings)
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

  @Test(arguments: bindings)
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

  // MARK: - Images that come and go

  @Test func anImageIsNotTakenForOneThatHasGone() throws {
    let bench = try Workbench(.gcc)
    // Calls what the core calls between two looks.
    let program = try bench.program(
      "reused-index", "reused-index.c", flags: ["-I\(Places.core.path)"])
    try bench.expect(program, bench.plugins(), output: "told apart\n")
  }

  /// Symbols in executable pages, which the process may not open.
  @Test func whatCannotBePatchedDoesNotKeepTheRestFromIt() throws {
    let bench = try Workbench(.gcc)
    let flags = ["-fuse-ld=bfd", "-Wl,-z,noseparate-code"]
    let definer = try bench.library("definer.so", "unpatchable-library.c", flags: flags)
    let later = try bench.library(
      "later.so", "unpatchable-library.c", flags: flags + ["-DLATER"])
    let caller = try bench.library("caller.so", "unpatchable-library.c", flags: ["-DCALLER"])
    let program = try bench.program("unpatchable", "unpatchable.c")
    let result = try run(program, [definer, later, caller])
    #expect(result.errorOutput == "" && result.succeeded)
    if result.output.hasPrefix("no PR_SET_MDWE") {
      try Test.cancel("this kernel has no PR_SET_MDWE")
    }
    #expect(result.output == "rebound without them\n")
  }

  @Test(arguments: ["before", "after"], ["restored", "kept", "once"])
  func roundsOfLoadingAndHookingLeaveNothingBehind(hooked: String, handles: String) throws {
    let bench = try Workbench(.gcc)
    let program = try bench.program("reload", "reload.c")
    try bench.expect(
      program, [hooked, handles] + bench.replaceablePlugins(flags: ["-Wl,-z,lazy"]),
      output: "no growth\n")
  }

  @Test(arguments: bindings)
  func anImageThatTakesAnothersPlaceIsANewOne(flags: [String]) throws {
    let bench = try Workbench(.gcc)
    let program = try bench.program("replaced-image", "replaced-image.c")
    try bench.expect(
      program,
      bench.replaceablePlugins(flags: flags) + [bench.builder.directory.url.path + "/either.so"],
      output: "each image had its own\n")
  }

  @Test func anImageThatTakesItsOwnPlaceAgainGetsTheWholeChain() throws {
    let bench = try Workbench(.gcc)
    let library = try bench.library("library.so", "replaced-chain-library.c")
    let program = try bench.program("replaced-chain", "replaced-chain.c")
    try bench.expect(program, [library], output: "both were there again\n")
  }

  @Test func theImageOfAReplacementStaysLoaded() throws {
    let bench = try Workbench(.gcc)
    let plugin = try bench.library("pinned.so", "pinned-plugin.c")
    let receiver = try bench.library("receiver.so", "pinned-plugin.c")
    let program = try bench.program("pinned-replacement", "pinned-replacement.c")
    try bench.expect(program, [plugin, receiver], output: "stays loaded\n")

    let applying = try bench.library(
      "applying.so", "pinned-plugin.c", flags: ["-DAPPLIES"], withCore: true)
    let opener = try bench.program("pinned-self", "pinned-self.c", withCore: false)
    try bench.expect(opener, [applying], output: "stays loaded\n")
  }

  // MARK: - Input that is broken, or looks so

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

/// What a fixture is instrumented with.
enum Sanitizer: String, CaseIterable, CustomTestStringConvertible {
  case none, thread, address
  var testDescription: String { self == .none ? "plain" : "-fsanitize=\(rawValue)" }
  var flags: [String] { self == .none ? [] : ["-fsanitize=\(rawValue)", "-O1"] }
}

/// A folder of fixtures that share one build of the core.
private struct Workbench {
  let builder: FixtureBuilder
  private let flags: [String]
  private let runtime: [String]

  /// Cancels the test where the compiler comes without the sanitizer's run-time
  /// library, or programs with it do not start.
  init(_ compiler: Compiler, sanitizer: Sanitizer = .none) throws {
    builder = try FixtureBuilder(compiler)
    flags = sanitizer.flags
    runtime = compiler == .clang && sanitizer == .thread ? Self.dispatchLibraries : []
    guard sanitizer != .none else { return }
    let probe = builder.directory.url.appending(path: "probe")
    try Data("int main(void) { return 0; }\n".utf8).write(to: probe.appendingPathExtension("c"))
    do {
      try builder.compile(flags + ["probe.c", "-o", "probe"] + runtime)
    } catch is CompilationFailure {
      try Test.cancel("\(compiler) has no library for \(sanitizer.testDescription)")
    }
    guard try run(probe.path).succeeded else {
      try Test.cancel("programs with \(sanitizer.testDescription) do not run here")
    }
  }

  /// ThreadSanitizer in a Swift toolchain's clang asks for libdispatch, which is not
  /// where the linker looks.
  private static let dispatchLibraries: [String] = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders = path.split(separator: ":").map {
      URL(filePath: "\($0)/clang").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "../lib/swift/linux").standardizedFileURL.path
    }
    guard
      let folder = folders.first(where: {
        FileManager.default.fileExists(atPath: "\($0)/libdispatch.so")
      })
    else { return [] }
    return ["-L\(folder)", "-lBlocksRuntime", "-ldispatch", "-Wl,-rpath,\(folder)"]
  }()

  func program(
    _ name: String, _ source: String, flags: [String] = [], needs: [String] = [],
    withCore: Bool = true
  ) throws -> String {
    let core = withCore ? [try CoreArchive.file(for: builder.compiler, flags: self.flags).path] : []
    return try builder.build(
      name, from: [source], flags: self.flags + flags,
      libraries: core + links(to: needs) + runtime, withCore: false
    ).path
  }

  /// Libraries are not instrumented: they stand for other people's.
  @discardableResult
  func library(
    _ name: String, _ source: String, flags: [String] = [], needs: [String] = [],
    withCore: Bool = false
  ) throws -> String {
    let core = withCore ? [try CoreArchive.file(for: builder.compiler).path] : []
    return try builder.build(
      name, from: [source], flags: ["-shared", "-fPIC"] + flags,
      libraries: core + links(to: needs), withCore: false
    ).path
  }

  /// Two plug-ins that call one function.
  func plugins(flags: [String] = []) throws -> [String] {
    try (1...2).map { try library("plugin\($0).so", "plugin.c", flags: flags) }
  }

  /// Two plug-ins of one layout.
  func replaceablePlugins(flags: [String]) throws -> [String] {
    [
      try library("first.so", "reload-plugin.c", flags: flags),
      try library("second.so", "reload-plugin.c", flags: ["-DOTHER"] + flags),
    ]
  }

  /// Runs a fixture; a deadlock is ended after a minute, with status 124.
  func expect(
    _ program: String, _ arguments: [String] = [], output: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    // The loader's own locks are unknown to ThreadSanitizer, so what it frees looks raced for.
    let result = try run(
      "timeout", ["60", program] + arguments,
      environment: ["TSAN_OPTIONS": "ignore_noninstrumented_modules=1"])
    #expect(result.errorOutput == "", sourceLocation: sourceLocation)
    #expect(result.output == output, sourceLocation: sourceLocation)
    #expect(result.succeeded, sourceLocation: sourceLocation)
  }

  private func links(to libraries: [String]) -> [String] {
    guard !libraries.isEmpty else { return [] }
    return libraries.map { "-l\($0)" } + ["-Wl,-rpath,\(builder.directory.url.path)"]
  }
}
