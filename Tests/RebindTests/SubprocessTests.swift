import TestSupport

/// How tests run programs.
@Suite(.measured) struct SubprocessTests {
  /// A tool of Swift's has three tries, any other program has one.
  @Test(arguments: [("swift", 3, 0), ("swift", 4, SIGSEGV), ("tool", 1, 0), ("tool", 2, SIGSEGV)])
  func toolsOfSwiftRunAgainAfterACrash(name: String, goodRun: Int, status: Int32) throws {
    let folder = try TemporaryDirectory()
    let tool = folder.url.appending(path: name)
    let script = """
      echo >>"$0.runs"
      [ "$(wc -l <"$0.runs")" -ge \(goodRun) ] || kill -SEGV $$
      """
    try writeShellProgram(script, to: tool.path)

    let result = try run(tool.path)

    #expect(result.status == status)
    #expect(result.wasSignalled == (status != 0))
    let runs = try String(contentsOf: folder.url.appending(path: "\(name).runs"), encoding: .utf8)
    #expect(runs.count == min(goodRun, name == "swift" ? 3 : 1))
  }

  /// A program that waits for ever, one whose child does, and one that never ends.
  @Test(
    .notInCheck,
    arguments: [
      ("sleep 1000", "hangs: it has used no processor time for 1.0 s"),
      (#"sleep 1000 & echo $! >>"$0"; wait"#, "hangs: it has used no processor time for 1.0 s"),
      ("while :; do :; done", "has used more than 1.0 s of processor time"),
    ])
  func aChildThatDoesNotEndIsEnded(script: String, why: String) throws {
    let folder = try TemporaryDirectory()
    let lines = "echo $$ >\"$0\"; \(script)"
    let file = folder.url.appending(path: "number").path
    let result = try run("sh", ["-c", lines, file], processorTime: 1, idle: 1)
    #expect(result.wasSignalled && result.status == SIGKILL)
    #expect(result.errorOutput.hasSuffix("sh was ended: it \(why)\n"), "\(result.errorOutput)")
    // Nothing is left of it, nor of its child, as soon as the kernel has ended both.
    for number in try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n") {
      func stat() -> String {
        (try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)) ?? ""
      }
      while !stat().isEmpty && !stat().contains(") Z ") { usleep(10_000) }
    }

    // Scripts/fixtures has the same limits.
    let script = "import running, sys; print(running.run(sys.argv[1:], most=1, idle=1).trouble)"
    let ended = try run(
      Places.python, ["-B", "-c", script, "sh", "-c", lines, file],
      environment: ["PYTHONPATH": Places.fixtures.path])
    #expect(
      ended.output.hasPrefix(why.hasPrefix("hangs") ? "ended, as it hung" : "ended, as it had used")
    )
  }

  /// A run in whose tests nothing is measured, and so nothing is watched: both processes of it.
  @Test(.notInCheck) func aRunThatHangsIsEnded() throws {
    let folder = try TemporaryDirectory()
    let script = """
      import os, sys
      test = {"__name__": "test", "__file__": sys.argv[1]}
      exec(open(sys.argv[1]).read(), test)
      test.update(LOG=sys.argv[2], SWIFT=["sh", "-c", "sleep 1000 & wait"])
      print(test["run"]([], os.environ, idle=1))
      with open(sys.argv[2], "w") as times:
          times.write("a\\nb\\na\\na\\t1\\t2\\nb\\t1\\t2\\n")
      print(test["read"](sys.argv[2])[1])
      """
    let result = try run(
      Places.python,
      [
        "-c", script, Places.package.appending(path: "Scripts/test").path,
        folder.url.appending(path: "log").path,
      ])
    let failure =
      "'The run was ended, as it hung: it had used no processor time for 1 s, outside of measured tests'"
    #expect(
      result.output == "(9, False, [\(failure), \(failure)])\n['a']\n",
      "\(result.output)\(result.errorOutput)")
  }

  /// A program that is slow, as others have the processor, is not ended: it makes progress.
  @Test(.notInCheck) func aChildThatMakesProgressIsLeftAlone() throws {
    let lines =
      "for i in 1 2 3 4 5 6; do sleep 0.8; i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done; done"
    #expect(try run("sh", ["-c", lines], idle: 2).succeeded)
  }
}
