import RebindTesting
import TestSupport

/// The traits, on tests as their users write them.
@Suite(.measured) struct TraitTests {
  @Test(.failing("open", errno: ENOENT))
  func open() {
    let descriptor = Glibc.open("/etc/os-release", O_RDONLY)
    #expect(descriptor == -1 && errno == ENOENT)
  }

  @Test(.failing("malloc", returning: nil, onCall: 3))
  func malloc() {
    let addresses = (0..<4).map { _ in Glibc.malloc(10) }
    #expect(addresses.map { $0 == nil } == [false, false, true, false])
    addresses.forEach { free($0) }
  }

  @Test(.failing("close", errno: EIO), .failing("getppid", returning: 5))
  func several() {
    #expect(close(-1) == -1 && errno == EIO && getppid() == 5)
  }

  @Test(.failing("getppid", returning: 5), arguments: 0..<8)
  func arguments(number: Int) async {
    await Task.yield()
    #expect(getppid() == 5)
  }

  @Test(.frozenTime(.seconds(1_000_000_000)))
  func frozenTime() async throws {
    try await Task.sleep(for: .milliseconds(5))
    #expect(Date() == Date(timeIntervalSince1970: 1_000_000_000))
    #expect(time(nil) == 1_000_000_000)
  }

  /// Recordings and strikes of a test that fails become files where the run keeps attachments.
  @Test func evidenceIsKept() throws {
    let program = try RebindProgram(
      """
      import Glibc
      import RebindTesting
      import Testing

      @Test(.failing(Fault("getppid", errno: EPERM, onCall: 2)), .recordingCalls("getpgid"))
      func faults() { #expect((getppid(), getpgid(0)) == (0, 0)) }
      @Test(.allocations(atMost: 1)) func budget() { for _ in 0..<3 { free(malloc(8)) } }
      @Test(.recordingCalls("getpid"), .failing("getppid"), .allocations(atMost: 9))
      func nothing() { _ = (getppid(), getpid()) }
      await Testing.__swiftPMEntryPoint() as Never
      """,
      modules: [
        "RebindTesting", "FaultVocabulary", "RebindCounting", "CRebindTesting", "CRebindStubs",
        "CRebindCounting",
        "CRebindReach", "CRebind",
      ])
    let folder = try TemporaryDirectory()
    let result = try run(program.path, ["--no-parallel", "--attachments-path", folder.url.path])
    let output = result.output + result.errorOutput
    #expect(!result.succeeded && output.contains("with 3 issues"), "\(output)")
    func text(_ name: String) throws -> String {
      try String(contentsOf: folder.url.appending(path: name), encoding: .utf8)
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(files.sorted() == ["allocations.txt", "calls.txt", "faults.txt"])
    #expect(
      try text("faults.txt") == """
        Fault(getppid fails with EPERM on call 2): 1 call in reach, 0 struck, 0 out of reach

        """)
    #expect(try text("calls.txt").hasPrefix("getpgid(0"))
    #expect(try text("allocations.txt").hasPrefix("3 allocations, at most 1\n"))
  }

  @Test(.recordingCalls("open", "close"))
  func recordingCalls() throws {
    let descriptor = Glibc.open("/etc/os-release", O_RDONLY)
    close(descriptor)
    let recording = try #require(CallRecording.current)
    #expect(
      recording.calls.map(\.description) == [
        #"open("/etc/os-release", 0)"#, "close(\(descriptor))",
      ])
    #expect(recording.calls(of: "close").map(\.words[0]) == [UInt64(descriptor)])
  }

  /// The first trait is the outermost: a fault inside of a recording answers the call.
  @Test(.recordingCalls("getppid"), .failing("getppid", returning: 5))
  func recordingOutsideOfAFault() throws {
    #expect(getppid() == 5)
    #expect(try #require(CallRecording.current).calls.isEmpty)
  }

  @Test(.failing("getppid", returning: 5), .recordingCalls("getppid"))
  func recordingInsideOfAFault() throws {
    #expect(getppid() == 5)
    #expect(try #require(CallRecording.current).calls.count == 1)
  }

  @Test func noRecording() { #expect(CallRecording.current == nil) }

  /// The fault is counted anew for each test.
  @Suite(.failing("getppid", returning: 5, onCall: 1), .recordingCalls("getppid"))
  struct OfASuite {
    @Test(arguments: 0..<4)
    func firstCallFails(number: Int) throws {
      #expect(getppid() == 5 && getppid() != 5)
      #expect(try #require(CallRecording.current).calls.count == 2)
    }

    @Test func firstCallFailsHere() { #expect(getppid() == 5 && getppid() != 5) }
  }
}
