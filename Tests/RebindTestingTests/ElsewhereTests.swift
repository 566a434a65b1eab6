import TestSupport

/// The interface that other systems have, built on Linux by REBIND_ELSEWHERE.
@Suite(.measured, .inAll) struct ElsewhereTests {
  private static let scratch = Places.package.appending(path: ".build/elsewhere")

  private func swift(_ subcommand: String, in package: URL) throws -> ProcessResult {
    try run(
      "swift",
      [subcommand] + (subcommand == "build" ? ["--build-tests"] : [])
        + ["--package-path", package.path, "--scratch-path", Self.scratch.path],
      environment: ["REBIND_ELSEWHERE": "1", "SWIFT_BACKTRACE": "enable=no"])
  }

  /// The samples name what tests name: none of them has a line for another system.
  @Test(arguments: ["allocation-budget", "fault-injection", "network-double", "repeatable-tests"])
  func samplesAreBuilt(name: String) throws {
    let result = try swift("build", in: SamplePackage(name).folder)
    #expect(result.succeeded, "\(result.output)\(result.errorOutput)")
  }

  @Test func traitsCancelAndFunctionsThrow() throws {
    let package = try TemporaryDirectory()
    let tests = package.url.appending(path: "Tests/ElsewhereTests")
    try FileManager.default.createDirectory(at: tests, withIntermediateDirectories: true)
    try """
    // swift-tools-version: 6.2
    import PackageDescription
    let package = Package(
      name: "Elsewhere", dependencies: [.package(name: "Rebind", path: "\(Places.package.path)")],
      targets: [
        .testTarget(
          name: "ElsewhereTests",
          dependencies: [
            .product(name: "Rebind", package: "Rebind"),
            .product(name: "RebindTesting", package: "Rebind"),
          ])
      ])
    """.write(to: package.url.appending(path: "Package.swift"), atomically: true, encoding: .utf8)
    try """
    import Rebind
    import RebindTesting
    import Testing

    @Test(.failing("open", errno: 1)) func plain() { Issue.record("this ran") }
    @Test(.frozenTime(.seconds(1)), arguments: [1, 2]) func parameterised(number: Int) {
      Issue.record("this ran")
    }
    @Suite(.noDescriptorLeaks) struct OfASuite {
      @Test func one() { Issue.record("this ran") }
    }
    @Test func functions() async throws {
      func reason<E: Error>(_ body: () async throws(E) -> Void) async -> String {
        do { try await body() } catch { return "\\(error)" }
        return "none"
      }
      await print(reason { try withFailing("open") {} })
      await print(reason { try await withRecordedCalls(of: "open") { _ async in } })
      await print(reason { _ = try countingAllocations {} })
      await print(reason { () throws(RebindError) in
        try Rebinding<@convention(c) () -> Void>("sync").apply {}
      })
    }
    """.write(to: tests.appending(path: "Tests.swift"), atomically: true, encoding: .utf8)
    let result = try swift("test", in: package.url)
    #expect(result.succeeded, "\(result.output)\(result.errorOutput)")
    let reason = "Rebind works on Linux; this is another system"
    #expect(
      result.output.contains(
        "\(reason)\n\(reason)\ncannot count: \(reason)\ncannot rebind sync: \(reason)\n"))
    for skipped in ["Test plain()", "Test parameterised(number:)", "Suite OfASuite"] {
      #expect(
        (result.output + result.errorOutput).contains(
          "➜ \(skipped) skipped: \"needs Linux: run this test in a container\""), "\(result.output)"
      )
    }
  }
}
