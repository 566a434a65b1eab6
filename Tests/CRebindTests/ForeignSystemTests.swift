import TestSupport

/// Off Linux each source in C is empty, so that a package which names one of the targets can be built there.
@Suite(.measured) struct ForeignSystemTests {
  private static func sources() throws -> [String] {
    let folder = Places.package.appending(path: "Sources")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    let paths = (files?.compactMap { $0 as? URL } ?? []).map(\.path)
    return paths.filter { ["c", "h", "S"].contains(($0 as NSString).pathExtension) }.sorted()
  }

  private func compile(_ arguments: [String], for target: String) throws -> ProcessResult {
    try run(Compiler.clang.name, ["--target=\(target)"] + arguments)
  }

  /// No system's headers are there, so a source without a guard has errors, too.
  @Test(.notInCheck, arguments: ["arm64-apple-macos14", "x86_64-windows-msvc"])
  func eachSourceIsGuardedAsAWhole(target: String) throws {
    let sources = try Self.sources()
    #expect(sources.count > 250)
    // The language of each follows from its name, which makes a header one of C.
    let result = try compile(["-E"] + sources, for: target)
    #expect(result.succeeded && result.errorOutput == "")
    var file: Substring = ""
    var unguarded: Set<Substring> = []
    for line in result.output.split(separator: "\n") {
      if let marker = line.wholeMatch(of: /# \d+ "(.*)".*/) {
        file = marker.1
      } else {
        unguarded.insert(file)
      }
    }
    #expect(unguarded == [])
  }

  /// A Mac has no module Glibc, and other types of some constants.
  @Test func testsThatAMacBuildsNameNoGlibc() throws {
    let samples = ["allocation-budget", "fault-injection", "network-double", "repeatable-tests"]
    let found = try run(
      "grep",
      ["-rnE", "^import Glibc|SOCK_[A-Z]+\\.rawValue", "Sources/RebindTesting/RebindTesting.docc"]
        + samples.map { "Samples/\($0)" }, currentDirectory: Places.package)
    #expect(found.status == 1 && found.output == "")
    let readme = try String(
      contentsOf: Places.package.appending(path: "README.md"), encoding: .utf8)
    #expect(readme.contains("import Foundation\nimport RebindTesting\n"))
  }

  @Test func androidIsRefusedInASentence() throws {
    let header = Places.package.appending(path: "Sources/CRebind/include/CRebind.h").path
    let result = try compile(["-fsyntax-only", header], for: "aarch64-linux-android24")
    #expect(!result.succeeded && result.errorOutput.contains("1 error generated."))
    #expect(result.errorOutput.contains("Rebind knows the loaders of glibc and musl, and not"))
  }
}
