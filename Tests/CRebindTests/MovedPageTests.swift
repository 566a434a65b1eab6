import TestSupport

/// Dynamic symbols that share a page, or only a segment, with code: in a child process.
@Suite(.measured) struct MovedPageTests {
  /// Neither of code nor of anything else; Scripts/fixtures looks at every fixture.
  @Test func noPageIsAskedForThatIsWritableAndExecutable() throws {
    guard try run("strace", ["true"]).succeeded else { try Test.cancel("strace does not run here") }
    let built = try Fixture.named("moved-page, default")
    let log = built.folder.appending(path: "trace").path
    let result = try built.run(
      under: [
        "strace", "-f", "--seccomp-bpf", "-qq", "-e", "trace=mmap,mprotect,mremap", "-o", log,
      ])
    #expect(result.output == "moved and moved back\n")
    let calls = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
    #expect(calls.contains { $0.contains("MREMAP_DONTUNMAP") })
    #expect(calls.allSatisfy { !($0.contains("PROT_WRITE") && $0.contains("PROT_EXEC")) })
  }
}
