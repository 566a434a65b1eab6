import Foundation
import TestSupport
import Testing

/// `audit` judges by the order in which images were loaded: hooks in libraries that a program has
/// opened, and preloaded libraries. The witness is ld.so, which was told what to load.
@Suite(.needsCommands, .measured) struct LaterImageTests {
  private let folder: URL

  init() throws {
    builder = try FixtureBuilder.shared(.gcc, key: ["later"]) {
      try $0.buildLibrary("libhook.so", from: "inspect-hook.c")
      try $0.buildLibrary("libcaller.so", from: "inspect-caller.c", flags: ["-Wl,-z,lazy"])
      try $0.build(
        "later", from: ["inspect-later.c"], flags: ["-Wl,-rpath,$ORIGIN"],
        libraries: ["-L.", "-lcaller", "-Wl,--allow-shlib-undefined"], withCore: false)
      // Found by a link, by a name that is not its soname, and without a soname.
      for (name, soname) in [("linked.so", "libreal.so.7"), ("named.so", "libelse.so")] {
        try $0.build(
          name, from: ["inspect-dependency.c"], flags: Self.library + ["-Wl,-soname,\(soname)"],
          withCore: false)
      }
      try $0.build(
        "nameless.so", from: ["inspect-dependency.c"], flags: Self.library, withCore: false)
    }
    folder = builder.directory.url.resolvingSymlinksInPath()
  }

  private let builder: FixtureBuilder
  private static let library = ["-shared", "-fPIC"]
  private var hook: String { folder.appending(path: "libhook.so").path }

  private func program(_ how: String, preloading: String? = nil) throws -> WaitingProcess {
    try WaitingProcess(
      folder.appending(path: "later"), [hook, how],
      environment: preloading.map { ["LD_PRELOAD": $0] } ?? [:])
  }

  /// The function in the library has the symbol's name, and the loader would not have taken it.
  @Test func hookOfTheSameName() throws {
    let process = try program("hook")
    let (files, status) = try report("audit", process)
    #expect(status == 1 && files.map(\.path) == [folder.appending(path: "later").path])
    let finding = try #require(files.first?.findings?.first)
    #expect(files.first?.findings?.count == 1)
    #expect(finding.kind == "rebound-slot" && finding.symbol == "getppid")
    #expect(finding.target?.image == hook && finding.target?.symbol == "getppid")
    #expect(finding.expected?.image?.hasSuffix("/libc.so.6") == true)
    let slot = try report("slots", process, ["--state", "rebound"]).files.first?.slots?.first
    #expect(slot?.address == finding.address && slot?.reboundBy == hook)
  }

  /// Of the names of one function, the plainest: libc has `signal` as `bsd_signal` and `ssignal` too.
  @Test func plainestName() throws {
    let process = try program("alias")
    let finding = try report("audit", process).files.first?.findings?.first
    #expect(finding?.symbol == "getppid" && finding?.target?.symbol == "signal")
  }

  /// A pointer in data is the program's, and what nothing else defines the loader leads there.
  @Test(arguments: ["data", "bound"])
  func noHook(how: String) throws {
    let process = try program(how)
    let result = try inspect(["audit", "--pid", "\(process.id)"])
    #expect(result.status == 0 && result.output == "")
    let slots = try report("slots", process, ["--name", "hook_of_its_own"]).files
      .flatMap { $0.slots ?? [] }
    #expect(slots.contains { $0.target?.image == hook } == (how == "bound"))
  }

  /// A library that is preloaded behind one that the program needs too.
  @Test func preloadedBehindANeededOne() throws {
    let libc = try InstalledFile.libc.path
    for list in ["libc.so.6 \(hook)", "\(libc):\(hook)", hook] {
      let process = try program("none", preloading: list)
      let images = try report("images", process).files
      #expect(images.filter { $0.isPreloaded == true }.map(\.path) == [hook], "\(list)")
      let files = try report("audit", process).files
      #expect(files.contains { $0.path == hook }, "\(list)")
      let hasInterposed = files.flatMap { $0.findings ?? [] }
        .contains { $0.kind == "interposed-slot" && $0.target?.image == hook }
      // In front of libc it is in nobody's way.
      #expect(hasInterposed == (list == hook), "\(list)")
    }
  }

  @Test(arguments: ["linked.so", "named.so", "nameless.so"])
  func neededByAnotherName(_ library: String) throws {
    // The program needs the name by which the linker was led to a library without soname.
    let link = folder.appending(path: "libdep.so")
    try? FileManager.default.removeItem(at: link)
    try FileManager.default.copyItem(at: folder.appending(path: "nameless.so"), to: link)
    try builder.build(
      "needing", from: ["inspect-needing.c"], flags: [builder.runPath],
      libraries: ["-ldep"], withCore: false)
    try FileManager.default.removeItem(at: link)
    try FileManager.default.createSymbolicLink(
      at: link, withDestinationURL: folder.appending(path: library))
    let process = try WaitingProcess(folder.appending(path: "needing"))
    #expect(process.said == "ready\n")
    let result = try inspect(["audit", "--pid", "\(process.id)"])
    #expect(result.status == 0 && result.output == "" && result.errorOutput == "")
    let image = try #require(
      try report("images", process).files.first { $0.path.hasSuffix("/\(library)") })
    #expect(image.isPreloaded == false)
    // And it is found by that name.
    let slots = try inspect(["why", "depended_on@", "--pid", "\(process.id)", "--in", "libdep.so"])
    #expect(!slots.errorOutput.contains("is not loaded"))
  }
}
