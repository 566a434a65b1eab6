import Foundation
import RebindTesting
import Settings
import Testing

/// Tests run in parallel: a fault is for the calls of its own test.
@Suite struct LoadingTests {
  /// Not made here: a suite's initialiser is under its tests' traits as well.
  private let settings = SettingsFile(
    path: #filePath.replacing("LoadingTests.swift", with: "example.settings"))

  @Test(.failing("open", errno: EACCES))
  func fileThatMayNotBeRead() {
    #expect(throws: SystemError(EACCES)) { try settings.load() }
  }

  @Test(.failing("read", errno: EINTR, onCall: 1))
  func interruptedRead() throws {
    #expect(try settings.load() == ["colour": "blue", "size": "3"])
  }

  /// A pipe or a network file system gives a few bytes at a time.
  @Test func shortReads() throws {
    var calls = 0
    let loaded = try withRebinding("read", like: read, reach: .thread) {
      original, file, buffer, size in
      calls += 1
      return original(file, buffer, min(size, 4))
    } body: {
      try settings.load()
    }
    #expect(loaded == ["colour": "blue", "size": "3"])
    #expect(calls == 6)  // 19 bytes, and the end
  }

  @Test(.recordingCalls("open", "close"))
  func opensAndClosesOnce() throws {
    _ = try settings.load()
    let recording = try #require(CallRecording.current)
    #expect(recording.calls(of: "open").map(\.texts) == [[settings.path]])
    #expect(recording.calls(of: "close").count == 1)
  }
}
