import TestSupport

/// Planted bugs are found, and their mended twins have none.
@Suite(.needsCommands, .measured) struct SweepTests {
  private static let programs = Result {
    let builder = try FixtureBuilder(.gcc)
    try builder.build("planted", from: ["planted-bugs.c"], withCore: false)
    try builder.build("mended", from: ["planted-bugs.c"], flags: ["-DMENDED"], withCore: false)
    return builder.directory
  }

  private func sweep(
    _ faults: String, _ program: String, _ arguments: [String], options: [String] = [],
    in folder: URL? = nil
  ) throws -> ProcessResult {
    let path = try Self.programs.get().url.appending(path: program).path
    let scratch = try TemporaryDirectory()
    let temporary = try TemporaryDirectory()
    return try run(
      command.get(), ["sweep", faults] + options + ["--", path] + arguments,
      environment: ["TMPDIR": temporary.url.path], currentDirectory: folder ?? scratch.url)
  }

  @Test(
    .notInCheck,
    arguments: [
      ("memory", "malloc", "crash: ended by SIGSEGV"),
      (
        "output", "write,write=short",
        "exit 0 with other output: line 1 is 'o' instead of 'one line of output'"
      ),
      ("file", "open,write", "descriptor closed twice: close failed with EBADF"),
      ("connection", "socketpair,send,recv", "hang: it did not end in time"),
      ("silent", "open", "failure without a message: it exits with 3, and says nothing"),
      ("leak", "read", "descriptor left open: descriptor "),
      (
        "colour", "write,write=short",
        #"exit 0 with other output: line 1 is '\x1b' instead of '\x1b[31mred'"#
      ),
      ("status", "write=short", "usual exit status with other output: line 1 is 'o' instead of "),
      ("stream", "write", "output lost without a message: standard output is a full disk"),
      ("fallback", "malloc", "exit 0 with other output: line 1 is 'another way' instead of 'done'"),
      ("stack", "malloc", "crash: ended by SIGILL\n  the call came from planted+0x"),
      ("handler", "malloc", "crash: ended by SIGSEGV, at a place that is not known: it handles"),
    ])
  func findsPlantedBugs(name: String, faults: String, finding: String) throws {
    let planted = try sweep(faults, "planted", [name], options: ["--timeout", "1500ms"])
    #expect(planted.status == 1)
    #expect(planted.output.hasPrefix(finding), "\(planted.output)")
    #expect(planted.output.contains(", 1 finding\n"))
    #expect(name != "stack" || planted.output.contains("\n  it crashed at planted+0x"))
    // The command that is printed does the same.
    let command = try #require(
      planted.output.split(separator: "\n").first {
        $0.hasSuffix(" \(name)") || $0.hasSuffix("full")
      })
    #expect(
      command.contains("rebind-run fail ") && command.contains(" --on 1 ") || name == "stream")
    let mended = try sweep(faults, "mended", [name], options: ["--timeout", "20s"])
    #expect(mended.status == 0 && mended.output.hasSuffix("no finding\n"), "\(mended.output)")
  }

  /// The program writes to a copy, and nothing of that stays.
  @Test func leavesTheFolderAlone() throws {
    let folder = try TemporaryDirectory()
    let temporary = try TemporaryDirectory()
    let path = try Self.programs.get().url.appending(path: "mended").path
    let result = try run(
      command.get(), ["sweep", "open,write,close", "--", path, "file"],
      environment: ["TMPDIR": temporary.url.path], currentDirectory: folder.url)
    #expect(result.output == "3 runs, no finding\n", "\(result.errorOutput)")
    let manager = FileManager.default
    #expect(try manager.contentsOfDirectory(atPath: folder.url.path) == [])
    #expect(try manager.contentsOfDirectory(atPath: temporary.url.path) == [])
  }

  @Test func goesOnWhereItWas() throws {
    let folder = try TemporaryDirectory()
    let working = try TemporaryDirectory()
    let log = folder.url.appending(path: "log").path
    let options = ["--resume", log, "--jobs", "1"]
    let first = try sweep(
      "write,open", "planted", ["file"], options: options + ["--first"], in: working.url)
    #expect(first.status == 1 && first.output.contains("1 finding\n"))
    func runs() throws -> Int {
      try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").count - 1
    }
    #expect(try runs() == 1)
    let second = try sweep("write,open", "planted", ["file"], options: options, in: working.url)
    #expect(second.output == first.output.replacing("1 of 2 runs", with: "2 runs"))
    #expect(try runs() == 2)
    for (faults, others) in [
      ("open", []), ("write,open", ["--in", "*"]), ("write,open", ["--when", "path=planted"]),
    ] {
      let other = try sweep(faults, "planted", ["file"], options: options + others, in: working.url)
      #expect(other.status == 125 && other.errorOutput.contains(" is of another sweep: "))
    }
    let less = try sweep(
      "write,open", "planted", ["file"], options: options + ["--limit", "1"], in: working.url)
    #expect(less.output == second.output)
  }

  /// A result that is told and not given: nothing was written.
  @Test func namesTheFile() throws {
    let result = try sweep("write=3", "mended", ["file"])
    #expect(result.output.hasPrefix("exit 0 with other output: file planted has other contents\n"))
  }

  @Test func leavesHarmlessCallsAlone() throws {
    let result = try sweep("fcntl,close,write,write=short", "planted", ["harmless"])
    #expect(result.output == "1 run, no finding\n", "\(result.output)")
  }

  /// A program that gives up with a message is no finding, and one that is ended by a signal does not go on.
  @Test func aBreakpointEndsTheProgram() throws {
    let result = try sweep("malloc", "planted", ["breakpoint"])
    #expect(result.output == "1 run, no finding\n", "\(result.output)")
  }

  /// The file of results is no part of what each run has a copy of, and damage in it is told.
  @Test func theLogIsNoFileOfTheProgram() throws {
    let folder = try TemporaryDirectory()
    let temporary = try TemporaryDirectory()
    func sweep(_ log: String) throws -> ProcessResult {
      try run(
        command.get(), ["sweep", "open", "--resume", log, "--", "cat", "log"],
        environment: ["TMPDIR": temporary.url.path], currentDirectory: folder.url)
    }
    let first = try sweep("log")
    #expect(first.errorOutput.contains("exits with 1: cat: log: No such file"))
    let log = folder.url.appending(path: "log")
    let text = try String(contentsOf: log, encoding: .utf8)
    try (text + "0\t1\tcrush\t\t\t\n").write(to: log, atomically: true, encoding: .utf8)
    let damaged = try sweep("log")
    #expect(damaged.status == 125 && damaged.errorOutput.contains("log: a line is damaged: 0\\x91"))
    #expect(try sweep("/dev/full").errorOutput.contains("/dev/full is no plain file"))
  }

  /// Nobody reads what is found: nothing stays nevertheless. Standard input that does not end is told.
  @Test(.notInCheck) func endsCleanlyWithoutReaders() throws {
    let folder = try TemporaryDirectory()
    let temporary = try TemporaryDirectory()
    let script = "sleep 2 | \"$0\" sweep open --limit 1 -- cat nowhere | true; ls \"$TMPDIR\""
    let result = try run(
      "bash", ["-c", script, command.get()], environment: ["TMPDIR": temporary.url.path],
      currentDirectory: folder.url)
    #expect(result.output == "")
    #expect(result.errorOutput.contains("reading standard input to its end"))
  }

  /// The program's output has the path of its folder, which is another one in each run.
  @Test func pathsOfTheFolderAreTheSame() throws {
    let folder = try TemporaryDirectory()
    let temporary = try TemporaryDirectory()
    let result = try run(
      command.get(),
      ["sweep", "getcwd=ENOMEM", "--in", "*", "--", "sh", "-c", "pwd -P; echo $TMPDIR"],
      environment: ["TMPDIR": temporary.url.path], currentDirectory: folder.url)
    #expect(!result.errorOutput.contains("not the same"), "\(result.errorOutput)")
  }

  /// A program that ends with another status than 0 says why, if it does so by itself.
  @Test func saysHowItEndsWithoutAFailure() throws {
    let temporary = try TemporaryDirectory()
    func sweep(_ script: String) throws -> ProcessResult {
      try run(
        "sh", ["-c", script, command.get()], environment: ["TMPDIR": temporary.url.path],
        currentDirectory: Self.programs.get().url)
    }
    let failing = try sweep("\"$0\" sweep setlocale=NULL -- cat nowhere")
    #expect(
      failing.errorOutput.contains(
        "rebind-run: without a failure the program exits with 1: cat: nowhere: No such file"))
    // A pipe stays a pipe.
    let piped = try sweep("seq 5 | \"$0\" sweep setlocale=NULL --in '*' -- test -p /dev/stdin")
    #expect(piped.status == 0 && !piped.errorOutput.contains("exits with"), "\(piped.errorOutput)")
    let many = try sweep("\"$0\" sweep $(yes malloc | head -n 33 | paste -s -d,) -- true")
    #expect(many.status == 64 && many.errorOutput.contains("Give at most 32 faults"))
  }

  /// Ended in the middle, it leaves no process and no file.
  @Test func endsCleanly() throws {
    let folder = try TemporaryDirectory()
    let temporary = try TemporaryDirectory()
    let path = try Self.programs.get().url.appending(path: "planted").path
    let script = """
      "$0" sweep recv --timeout 50s -- "$1" connection &
      until [ "$(cat /proc/$!/task/*/children | wc -w)" -gt 0 ]; do sleep 0.01; done
      sleep 0.3
      children=$(cat /proc/$!/task/*/children)
      kill -TERM $!
      wait $!
      echo $?
      for child in $children; do [ -d /proc/$child ] && echo "left $child"; done
      ls "$TMPDIR"
      """
    let result = try run(
      "bash", ["-c", script, command.get(), path], environment: ["TMPDIR": temporary.url.path],
      currentDirectory: folder.url)
    #expect(result.output == "0 of 1 run, no finding\n\(128 + SIGTERM)\n")
  }

  /// A library that is loaded while constructors run must not take the environment and the arguments away.
  @Test func theProgramHasItsEnvironment() throws {
    let temporary = try TemporaryDirectory()
    let folder = try TemporaryDirectory()
    let result = try run(
      command.get(), ["sweep", "setlocale=NULL", "--", "env", "sh", "-c", "echo $PLANTED"],
      environment: ["PLANTED": "here", "TMPDIR": temporary.url.path], currentDirectory: folder.url)
    #expect(result.output == "1 run, no finding\n" && result.errorOutput == "")
  }

  @Test func saysWhatItDoesNotReach() throws {
    let result = try sweep("malloc,fread", "mended", ["output"])
    #expect(result.status == 0 && result.output == "0 runs, no finding\n")
    #expect(
      result.errorOutput.contains("'malloc' was never called")
        || result.errorOutput.contains("none from"))
    #expect(result.errorOutput.contains("'fread' matched nothing"))
    let temporary = try TemporaryDirectory()
    let input = try run(
      "sh", ["-c", "seq 5 | \"$0\" sweep read,write --in '*' -- cat", command.get()],
      environment: ["TMPDIR": temporary.url.path], currentDirectory: Self.programs.get().url)
    #expect(input.status == 0 && input.output.hasSuffix(" runs, no finding\n"), "\(input.output)")
  }
}
