import TestSupport

/// However processes and threads end, all of their calls are counted.
@Suite(.needsCommands, .measured) struct EndTests {
  private static let folder = Result {
    let builder = try FixtureBuilder(.gcc)
    try builder.buildLibrary("libends.so", from: "ends.c", flags: ["-DLIBRARY"])
    try builder.build(
      "ends", from: ["ends.c"], flags: [builder.runPath, "-pthread"], libraries: ["-lends"],
      withCore: false)
    return builder.directory
  }

  /// Tests/Fixtures/run/ends.c, and the file in which its library counts the calls of all processes.
  private struct Program {
    let path: String
    let scratch: TemporaryDirectory
    let sumFile: URL

    init() throws {
      path = try EndTests.folder.get().url.appending(path: "ends").path
      scratch = try TemporaryDirectory()
      sumFile = scratch.url.appending(path: "sum")
      try Data(count: 8).write(to: sumFile)
    }

    func words(_ way: String) -> [String] { [path, sumFile.path, way] }

    func sum() throws -> Int {
      try Data(contentsOf: sumFile).withUnsafeBytes { $0.load(as: Int.self) }
    }
  }

  /// Without `--results` a call is counted at its beginning, and with it the program has calls that are awaited.
  @Test(
    .notInCheck,
    arguments: [
      "return", "exit", "_exit", "quick_exit", "exit_group", "abort", "SIGSEGV", "SIGKILL",
      "SIGKILL with threads", "pthread_exit", "pthread_cancel", "fork", "fork among threads",
      "fork, dlclose", "seccomp",
      "clone", "vfork", "vfork, execl", "execve without variables", "execve with NULL",
      "execve with others", "closed descriptors", "400 threads", "1000 threads in turn",
      "daemon in time",
    ], [[], ["--results"]])
  func noCallIsLost(way: String, options: [String]) throws {
    let bare = try Program()
    let alone = try run(bare.path, Array(bare.words(way).dropFirst()))
    let program = try Program()
    let result = try count(["counted", "--format", "json"] + options, program.words(way))
    #expect(result.status == alone.status && result.wasSignalled == alone.wasSignalled)
    let calls = try CountedCalls(result)
    let sum = try program.sum()
    #expect(try calls.total == sum && sum == bare.sum())
    #expect(sum >= 1000 && calls.notes == [])
  }

  /// A daemon that outlives the program goes on alone. Its later calls are missing, and a note says so.
  @Test func aDaemonGoesOn() throws {
    let program = try Program()
    let script = """
      mkfifo held && exec 5<>held
      "$0" count counted --format json -- "$@" <held 2>table 5>&-
      echo $?
      # The daemon waits for the end of its standard input.
      exec 5>&-
      until [ "$(od -An -td8 sum | tr -d ' ')" = 1500 ]; do sleep 0.02; done
      cat table >&2
      """
    let result = try run(
      "bash", ["-c", script, command.get()] + program.words("daemon"),
      currentDirectory: program.scratch.url)
    #expect(result.output == "0\n")
    let calls = try CountedCalls(result)
    #expect(calls.total == 1000)
    #expect(
      calls.notes == [
        "processes that the program has left go on, and their later calls are missing"
      ])
  }
}
