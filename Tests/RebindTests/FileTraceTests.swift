import TestSupport

/// The sample that traces unmodified programs.
@Suite(.serialized, .measured, .inProducts) struct FileTraceTests {
  private struct Call: Decodable, Equatable {
    var pid: Int
    var call: String
    var caller: String
    var path: String?
    var descriptor: Int?
    var address: String?
    var result: Int
    var error: String?
  }

  private static let build = Result { try SamplePackage("file-trace").swift("build") }

  private let launcher = SamplePackage("file-trace").product("file-trace").path
  private let folder: TemporaryDirectory
  private let file: String

  init() throws {
    let build = try Self.build.get()
    try #require(build.succeeded, "\(build.output)\(build.errorOutput)")
    folder = try TemporaryDirectory()
    file = folder.url.appending(path: "three \"lines\"").path
    try Data("one\ntwo\nthree\n".utf8).write(to: URL(filePath: file))
  }

  @Test func tableOfASimpleProgram() throws {
    let result = try run(launcher, ["head", "-c", "3", file])
    #expect(result.output == "one")
    #expect(result.succeeded)
    var rows = result.errorOutput.split(separator: "\n").map { row in
      row.split(separator: " ", maxSplits: 4).map { $0.drop { $0 == " " } }
    }
    #expect(rows.removeFirst() == ["PID", "CALL", "RESULT", "CALLER", "ARGUMENT"])
    let calls = rows.map { $0.dropFirst().joined(separator: " ") }
    #expect(
      calls == [
        "open 3 head \(file)", "read 3 head 3", "close 0 head 3", "fclose 0 head 1",
        "fclose 0 head 2",
      ])
  }

  @Test(arguments: [
    ["ls", "-l", Places.package.path], ["ls", "/nonexistent"], ["git", "--version"], ["false"],
    [Places.python, "-c", "import json, sys; print(sys.path); sys.exit(3)"],
    ["sh", "-c", "ulimit -c 0; kill -SEGV $$"],
  ])
  func outputAndStatusAreTheSame(command: [String]) throws {
    let plain = try run("env", command)
    let report = folder.url.appending(path: "report").path
    let traced = try run(launcher, ["--json", "--output", report] + command)
    #expect(traced.status == plain.status && traced.wasSignalled == plain.wasSignalled)
    #expect(traced.standardOutput == plain.standardOutput)
    #expect(traced.errorOutput == plain.errorOutput)
    _ = try calls(in: report)
  }

  @Test func threadsAndChildren() throws {
    let calls = try trace(
      Places.python, "-c",
      """
      import os, subprocess, sys, threading
      def work():
          for _ in range(100): os.close(os.open(sys.argv[1], os.O_RDONLY))
      threads = [threading.Thread(target=work) for _ in range(8)]
      for thread in threads: thread.start()
      for _ in range(5): subprocess.run(["cat", sys.argv[1]], stdout=subprocess.PIPE)
      for thread in threads: thread.join()
      process = os.fork()
      if process == 0: os._exit(os.open(sys.argv[1], os.O_RDONLY) < 0)
      assert os.waitpid(process, 0)[1] == 0
      """, file)
    let opens = calls.filter { $0.path == file }
    #expect(opens.allSatisfy { $0.result >= 0 })
    #expect(opens.count { $0.caller != "cat" } == 801)
    #expect(opens.count { $0.caller == "cat" } == 5)
    // Python itself, a forked process, and five that have started a program.
    #expect(Set(opens.map(\.pid)).count == 7)
  }

  @Test func failuresAndAddresses() throws {
    let calls = try trace(
      Places.python, "-c",
      """
      import _socket, errno, os, socket, sys
      # A module of its own, or a part of the program.
      caller = getattr(_socket, "__file__", os.path.realpath(sys.executable))
      try: os.open("/nonexistent", os.O_RDONLY)
      except OSError as error: assert error.errno == errno.ENOENT
      listener = socket.create_server(("127.0.0.1", 0))
      socket.create_connection(listener.getsockname())
      try: socket.socket(socket.AF_UNIX).connect("/nonexistent")
      except OSError as error: assert error.errno == errno.ENOENT
      try: os.open("/nonexistent/" + os.path.basename(caller), os.O_RDONLY)
      except OSError: pass
      """)
    #expect(calls.contains { $0.path == "/nonexistent" && $0.error == "ENOENT" })
    let connects = calls.filter { $0.call == "connect" }
    try #require(connects.count == 2)
    #expect(connects[0].address?.hasPrefix("127.0.0.1:") == true && connects[0].result == 0)
    #expect(connects[1].address == "/nonexistent" && connects[1].error == "ENOENT")
    let caller = calls.compactMap { $0.path?.split(separator: "/") }
      .last { $0.count == 2 && $0[0] == "nonexistent" }?[1]
    #expect(connects.allSatisfy { $0.caller == caller.map(String.init) })
  }

  /// The README lists the further calls that strace sees: here, those of the loader and libc.
  @Test func opensAgreeWithThoseOfStrace() throws {
    let log = folder.url.appending(path: "strace")
    let options = ["-f", "-e", "trace=open,openat", "-o", log.path]
    guard let probe = try? run("strace", options + ["true"]), probe.succeeded else {
      try Test.cancel("strace is not installed, or may not trace here")
    }
    let seen = try trace("cat", file, "/nonexistent").compactMap(\.path)
    #expect(try run("strace", options + ["cat", file, "/nonexistent"]).status == 1)
    // PID openat(AT_FDCWD, "PATH", O_RDONLY) = 3
    let lines = try String(contentsOf: log, encoding: .utf8).components(separatedBy: "\n")
    let all = lines.map { $0.components(separatedBy: ", ") }.filter { $0.count > 2 }.map {
      $0[1].dropFirst().dropLast().replacing("\\\"", with: "\"")
    }.map(String.init)
    let inside = all.filter {
      $0.contains(".so") || $0.contains("/locale") || $0.contains("/gconv/")
    }
    #expect(seen == [file, "/nonexistent"])
    #expect(all.filter { !inside.contains($0) } == seen)
  }

  @Test(arguments: [[], ["--json"], ["--unknown", "true"], ["--output"]])
  func wrongUsage(arguments: [String]) throws {
    let result = try run(launcher, arguments)
    #expect(result.status == 64)
    #expect(result.errorOutput.hasPrefix("Usage: file-trace "))
  }

  @Test func commandThatIsNotThere() throws {
    let result = try run(launcher, ["/nonexistent"])
    #expect(result.status == 1)
    #expect(
      result.errorOutput == "file-trace: cannot run /nonexistent: No such file or directory\n")
  }

  /// tcmalloc, in front of the library, has had no constructor yet when this one's runs.
  @Test(arguments: [true, false])
  func besideAnAllocatorThatStartsLate(isInFront: Bool) throws {
    let builder = try FixtureBuilder(.gcc)
    let allocator = try builder.buildLibrary("liballocator.so", from: "late-allocator.c").path
    let library = SamplePackage("file-trace").product("libFileTrace.so").path
    let report = folder.url.appending(path: "report").path
    let order = isInFront ? [allocator, library] : [library, allocator]
    let result = try run(
      "cat", [file],
      environment: ["FILE_TRACE": report, "LD_PRELOAD": order.joined(separator: ":")])
    #expect(result.succeeded && result.output == "one\ntwo\nthree\n")
    #expect(result.errorOutput.hasPrefix("file-trace: nothing is traced: ") == isInFront)
    #expect(FileManager.default.fileExists(atPath: report) != isInFront)
  }

  // MARK: - What it leaves behind

  /// With a folder for temporary files that has to be empty at the end.
  private func runAlone(_ script: String, _ arguments: [String] = []) throws -> ProcessResult {
    let temporary = try TemporaryDirectory()
    // A child is born with the signals blocked that its thread has, and ignored that nohup(1) ignores.
    let unblocked = """
      import os, signal, sys
      for number in signal.SIGHUP, signal.SIGINT, signal.SIGTERM: signal.signal(number, signal.SIG_DFL)
      signal.pthread_sigmask(signal.SIG_SETMASK, [])
      os.execvp("bash", ["bash", "-c"] + sys.argv[1:])
      """
    let result = try run(
      Places.python, ["-c", unblocked, script, launcher, folder.url.path] + arguments,
      environment: ["TMPDIR": temporary.url.path])
    let left = Places.package.appending(path: "Scripts/left-behind").path
    let check = try run(left, [temporary.url.path])
    #expect(check.succeeded, "\(check.output)")
    return result
  }

  @Test(arguments: [["/nonexistent"], ["--output", "/nonexistent/report", "true"]])
  func failuresLeaveNothing(arguments: [String]) throws {
    let result = try runAlone(#""$0" "${@:2}""#, arguments)
    #expect(result.status == 1 && result.errorOutput.hasPrefix("file-trace: "))
  }

  /// The signal goes to the launcher alone, or as the keyboard's to the whole group. The command is
  /// ended by it, the report is written, and both are gone.
  @Test(arguments: [("TERM", false), ("HUP", false), ("TERM", true), ("INT", true)])
  func signalsLeaveNothing(signal: String, isForTheGroup: Bool) throws {
    let result = try runAlone(
      """
      set -m
      mkfifo "$1/ready"
      "$0" --json --output "$1/report" \(Places.python) -c '
      import signal, sys
      signal.signal(signal.SIGINT, signal.SIG_DFL)
      signal.alarm(60)
      with open(sys.argv[1], "w") as ready: ready.write("ready\\n")
      signal.pause()' "$1/ready" &
      read -r line <"$1/ready"
      kill -s "$2" -- "$3$!"
      wait $!
      echo "$line $?"
      """, [signal, isForTheGroup ? "-" : ""])
    let number = ["HUP": 1, "INT": 2, "TERM": 15][signal]!
    #expect(result.output == "ready \(128 + number)\n", "\(result.errorOutput)")
    #expect(try calls(in: folder.url.appending(path: "report").path).contains { $0.path != nil })
  }

  /// A command that handles the signal itself ends as it likes.
  @Test func aHandledSignalIsTheCommands() throws {
    let result = try runAlone(
      """
      mkfifo "$1/ready"
      "$0" --json --output "$1/report" sh -c '
      trap "exit 7" TERM
      echo ready >"$0"
      for second in $(seq 60); do sleep 1 & wait $!; done' "$1/ready" &
      read -r line <"$1/ready"
      kill -s TERM $!
      wait $!
      echo "$line $?"
      """)
    #expect(result.output == "ready 7\n", "\(result.errorOutput)")
  }

  /// A process that outlives the launcher has nowhere to report to, and makes no new file.
  @Test func aProcessThatOutlivesTheLauncherLeavesNothing() throws {
    let result = try runAlone(
      """
      mkfifo "$1/go" "$1/done"
      "$0" --json --output "$1/report" sh -c '
      (read -r line <"$0/go"; echo "outlived it" >"$0/done") >/dev/null 2>&1 &' "$1"
      echo go >"$1/go"
      cat "$1/done"
      """)
    #expect(result.output == "outlived it\n", "\(result.errorOutput)")
  }

  /// Nor does one that makes the file at the time when the launcher removes it.
  @Test func aProcessThatReportsMeanwhileLeavesNothing() throws {
    let result = try runAlone(
      """
      for round in {1..20}; do
        "$0" --json --output "$1/report" bash -c '
        until [ -e "$0" ]; do : </dev/null; done >/dev/null 2>&1 & sleep 0.02' "$1/over-$round"
        [ -s "$1/report" ] && echo "$round"
        : >"$1/over-$round"
      done
      """)
    #expect(result.output.split(separator: "\n").count == 20, "\(result.errorOutput)")
  }

  private func trace(_ command: String...) throws -> [Call] {
    let report = folder.url.appending(path: "report").path
    _ = try run(launcher, ["--json", "--output", report] + command)
    return try calls(in: report)
  }

  private func calls(in report: String) throws -> [Call] {
    try Data(contentsOf: URL(filePath: report)).split(separator: UInt8(ascii: "\n")).map {
      try JSONDecoder().decode(Call.self, from: $0)
    }
  }
}
