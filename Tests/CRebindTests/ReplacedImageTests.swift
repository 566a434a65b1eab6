import Foundation
import TestSupport
import Testing

/// Images that come and go, in the place of others too: each case in a child process.
@Suite(.measured) struct ReplacedImageTests {
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

  @Test(arguments: Workbench.bindings)
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
}
