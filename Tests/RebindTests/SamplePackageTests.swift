import Foundation
import TestSupport
import Testing

/// The samples that are packages with tests of their own.
@Suite(.serialized, .measured, .tags(.buildsPackages), .notInCheck) struct SamplePackageTests {
  @Test(arguments: [
    ("allocation-budget", "Test run with 4 tests in 1 suite passed"),
    ("fault-injection", "Test run with 9 tests in 3 suites passed"),
    ("network-double", "Test run with 4 tests in 2 suites passed"),
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
