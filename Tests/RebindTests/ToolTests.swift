import TestSupport

/// Tests have one outcome, whatever stands first in PATH.
@Suite(.measured, .notInCheck) struct ToolTests {
  static let tools = ["clang", "ld.lld", "lld", "gcc", "ld", "readelf", "nm", "objcopy", "python3"]

  private let folder: TemporaryDirectory
  /// PATH, with a folder first whose tools fail.
  private let path: String

  init() throws {
    folder = try TemporaryDirectory()
    for tool in Self.tools {
      try writeShellProgram(
        "echo the wrong \(tool) >&2; exit 1", to: folder.url.appending(path: tool).path)
    }
    path = "\(folder.url.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
  }

  /// Suites that run fixtures, build for other machines, link Swift's code, compile C, and ask other readers.
  @Test(.inCore, .needsCommands, .needsMacros) func oneSuiteOfEachKindPasses() throws {
    let suites = [
      "CRebindTests.FixtureTests/fixture", "CRebindTests.RebindingTests",
      "RebindFilesTests.SectionTests",
      "RebindInspectTests.WitnessTests/linkedFiles",
      "RebindMacrosTests.LinkedRecordTests/aLibraryHasAllRecords",
      "RebindTestingTests.StubTests",
    ]
    let result = try run(
      "swift", ["test", "--skip-build", "--filter", suites.joined(separator: "|")],
      environment: [
        "PATH": path, "FIXTURES": "calls, lld*", "REBIND_TEST_TIMES": "", "REBIND_TESTS": "",
      ],
      currentDirectory: Places.package)
    #expect(result.succeeded, "\(result.output)\(result.errorOutput)")
    #expect(!(result.output + result.errorOutput).contains("the wrong "))
    #expect(result.output.contains(/Test run with \d\d+ tests in \d suites passed/))
  }

  /// A script that builds for another machine, with musl.
  @Test(.inCore) func aScriptFindsItsOwn() throws {
    let script = Places.package.appending(path: "Scripts/fixtures").path
    let result = try run(
      script, ["run", "musl"], environment: ["PATH": path, "FIXTURES": "calls, lld"])
    #expect(
      result.output.hasSuffix("ok musl: calls, lld\n2 passed, 0 failed\n"),
      "\(result.output)\(result.errorOutput)")
  }

  /// The toolchain's come first, and then the system's.
  @Test func theScriptsHaveTheSamePath() throws {
    let script = Places.package.appending(path: "Scripts/path").path
    let printed = try run(script, environment: ["PATH": path]).output
    #expect(printed == "\(Tools.toolchain.path):/usr/bin:/bin:/usr/sbin:/sbin\n")
  }
}
