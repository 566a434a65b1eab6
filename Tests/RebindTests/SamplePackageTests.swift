import TestSupport

/// The samples that are packages with tests of their own.
@Suite(.serialized, .measured, .inProducts) struct SamplePackageTests {
  @Test(arguments: [
    ("allocation-budget", "Test run with 4 tests in 1 suite passed"),
    ("fault-injection", "Test run with 12 tests in 4 suites passed"),
    ("network-double", "Test run with 4 tests in 3 suites passed"),
    ("repeatable-tests", "Test run with 4 tests in 1 suite passed"),
  ])
  func testsPass(name: String, summary: String) throws {
    let result = try SamplePackage(name).swift("test")
    #expect(result.succeeded, "\(result.output)\(result.errorOutput)")
    #expect(result.output.contains(summary))
  }

  /// The output is the one that its page shows.
  @Test(arguments: [("injection", "injection-demo")])
  func outputIsThatOfTheReadme(name: String, product: String) throws {
    let package = SamplePackage(name)
    let build = try package.swift("build")
    try #require(build.succeeded, "\(build.output)\(build.errorOutput)")
    let shown = try package.folder.appending(path: "README.md").codeBlocks(of: "console")
      .map { $0.split(separator: "\n", maxSplits: 1).last ?? "" }
    let result = try run(package.product(product).path)
    #expect(result.errorOutput == "")
    #expect([result.output] == shown.map { "\($0)\n" })
  }

  /// A preloaded library finds what blocks in a program that knows nothing of it, however that ends.
  @Test(arguments: [([], 0, false), (["exit"], 3, false), (["signal"], SIGTERM, true)])
  func blockingCallsOfAProgram(arguments: [String], status: CInt, isSignal: Bool) throws {
    let package = SamplePackage("blocking-calls")
    let build = try package.swift("build")
    try #require(build.succeeded, "\(build.output)\(build.errorOutput)")
    let preload = ["LD_PRELOAD": package.product("libBlockingCalls.so").path]
    let result = try run(package.product("dozing").path, arguments, environment: preload)
    #expect(result.output == "awake\n" && result.status == status)
    #expect(result.wasSignalled == isSignal)
    let shown = try package.folder.appending(path: "README.md").codeBlocks(of: "console").joined()
    // The times differ, and so the widths of the columns.
    func words(_ text: String) -> [String] {
      text.replacing(/\d+/, with: "0").split { $0.isWhitespace }.map(String.init)
    }
    #expect(words(result.errorOutput) == words(shown).drop { $0 != "blocking-calls:" }.map(\.self))

    let other = try run("true", environment: preload)
    #expect(other.succeeded && other.output == "")
    #expect(
      other.errorOutput
        == "blocking-calls: true is not linked with Swift's runtime: nothing is searched\n")
    // One that a program starts says nothing, as somebody may read its errors.
    let child = try run("sh", ["-c", "/bin/true; exit 0"], environment: preload)
    #expect(child.succeeded && child.errorOutput.split(separator: "\n").count == 1)
  }

  /// The counts are those of its page, and those that it keeps as thresholds.
  @Test(.enabled(if: buildsAsUsers, ".ci/run products runs it: ordo-one/benchmark takes minutes"))
  func benchmarksCount() throws {
    let package = SamplePackage("benchmark-metrics")
    let page = try package.folder.appending(path: "README.md").codeBlocks(of: "console").joined()
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("│") }
    try #require(rows.count == 7)
    let run = try package.swift("package", ["benchmark", "--no-progress"])
    #expect(run.succeeded, "\(run.output)\(run.errorOutput)")
    #expect(run.output.contains("\nList\n"))
    for row in rows { #expect(run.output.contains(row)) }

    let thresholds = package.folder.appending(path: "Thresholds").path
    let check = try package.swift(
      "package", ["benchmark", "thresholds", "check", "--no-progress", "--path", thresholds])
    #expect(check.succeeded, "\(check.output)\(check.errorOutput)")
    #expect(check.output.contains("EQUAL to the defined thresholds"))
  }

  /// A host, modules that are linked in, and plug-ins in Swift and in C.
  @Test func modulesComeAndGo() throws {
    let package = SamplePackage("modules")
    let build = try package.swift("build")
    try #require(build.succeeded, "\(build.output)\(build.errorOutput)")
    let program = package.product("modules")
    let scratch = program.deletingLastPathComponent().deletingLastPathComponent()
    let plugin = try run("make", ["-C", package.folder.path, "plugin", "BUILD=\(scratch.path)"])
    try #require(plugin.succeeded, "\(plugin.errorOutput)")
    let shown = try package.folder.appending(path: "README.md").codeBlocks(of: "console")
      .map { $0.split(separator: "\n", maxSplits: 1).last ?? "" }
    let result = try run(program.path, [package.folder.appending(path: "modules.json").path])
    #expect(result.errorOutput == "")
    #expect([result.output] == shown.map { "\($0)\n" })
  }
}
