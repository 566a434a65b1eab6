import Glibc
import RebindTesting
import TestSupport
import Testing

/// Calls that are recorded.
@Suite(.measured) struct RecordingTests {
  @Test func inOrderWithTexts() throws {
    try withRecordedCalls(of: "open", "close", "rename", "getenv") { recording in
      let descriptor = open("/etc/os-release", O_RDONLY)
      close(descriptor)
      rename("/no/such/file", "/no/other/file")
      _ = getenv("HOME")
      #expect(
        recording.calls.map(\.description) == [
          #"open("/etc/os-release")"#, "close()", #"rename("/no/such/file", "/no/other/file")"#,
          #"getenv("HOME")"#,
        ])
      #expect(recording.calls(of: "open")[0].words[1] == UInt64(O_RDONLY))
    }
  }

  @Test func callsGoOn() async throws {
    try await withRebinding("getppid", { _ -> pid_t in 7 }) {
      try await withRecordedCalls(of: "getppid") { recording in
        async let child = getppid()
        let seen = [getppid(), await child]
        #expect(seen == [7, 7] && recording.calls.count == 2)
      }
    }
  }

  @Test func ofNothing() throws {
    let recorded = try withRecordedCalls { $0.calls }
    #expect(recorded.isEmpty)
  }

  /// Below a handler, what its original is called with is recorded.
  @Test func belowAHandler() throws {
    try withRecordedCalls(of: "close") { recording in
      try withRebinding("close", { (original, descriptor: CInt) -> CInt in original(-5) }) {
        #expect(close(-1) == -1)
      }
      #expect(recording.calls.map { CInt(truncatingIfNeeded: $0.words[0]) } == [-5])
    }
  }
}
