import TestSupport

/// The samples that are packages with tests of their own.
@Suite(.serialized, .measured, .inProducts) struct SamplePackageTests {
  @Test(arguments: [
    ("allocation-budget", "Test run with 4 tests in 1 suite passed"),
    ("fault-injection", "Test run with 9 tests in 3 suites passed"),
    ("network-double", "Test run with 4 tests in 3 suites passed"),
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
