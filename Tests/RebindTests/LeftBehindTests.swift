import TestSupport

/// Tests leave nothing behind, and the check that they do not can fail.
@Suite(.measured) struct LeftBehindTests {
  /// A folder that somebody holds when the process exits.
  @Test(.notInCheck) func temporaryFoldersGoWithTheProcess() async throws {
    let folder = try TemporaryDirectory()
    let path = folder.url.path
    await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
      setenv("TMPDIR", path, 1)
      let held = try TemporaryDirectory()
      try #require(FileManager.default.contentsOfDirectory(atPath: path).count == 1)
      withExtendedLifetime(held) { exit(7) }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [])
    withExtendedLifetime(folder) {}
  }

  @Test(.notInCheck) func filesAndProcessesAreNamed() throws {
    let folder = try TemporaryDirectory()
    let script = """
      TMPDIR=$1 sleep 60 >/dev/null 2>&1 &
      while kill -0 $! && ! { [ "$(cat /proc/$!/comm)" = sleep ] && grep -qzxF "TMPDIR=$1" /proc/$!/environ; }; do :; done
      : >"$1/file"
      "$0" "$1" 1 2>&1; echo "status $?"
      kill -KILL $!; wait $! 2>/dev/null; rm "$1/file"
      # SwiftPM's do not count.
      mkdir "$1/TemporaryDirectory.abcdef"; : >"$1/_root_.swiftpm.lock"
      # A process that is about to end.
      TMPDIR=$1 sleep 0.5 &
      "$0" "$1" 2>&1; echo "status $?"
      """
    let check = Places.package.appending(path: "Scripts/left-behind").path
    let lines = try run("bash", ["-c", script, check, folder.url.path]).output
      .split(separator: "\n")
    try #require(lines.count == 5, "\(lines)")
    #expect(lines[0].hasPrefix("process ") && lines[0].hasSuffix(": sleep 60 "))
    #expect(lines[1] == "\(folder.url.path)/file")
    #expect(lines[2] == "left-behind: not all of it has been cleaned up")
    #expect(lines[3...] == ["status 1", "status 0"])
  }
}
