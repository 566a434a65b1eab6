import TestSupport

/// The program is as it is alone, or is refused before it starts.
@Suite(.needsCommands, .measured) struct ProgramTests {
  /// Shell lines whose output and status are the same with all functions counted.
  @Test(arguments: [
    "ls -la /usr", "for i in 1 2 3; do echo $i | cat; done; exit 3", "echo a | tee /dev/stderr >&2",
    "/usr/bin/python3 -c 'import json, re, threading; print(json.dumps(sorted(range(1000)))); exit(4)'",
    "git --version; git log nowhere", "gcc -O2 -S -x c -o - /dev/null", "sed -n 1,5p /etc/passwd",
    "perl -e 'my %h = map { $_ => 1 } 1..1000; print scalar(keys %h); eval { die 7 }; print $@; exit 5'",
    "cat; exit 9", "kill -SEGV $$", "kill -KILL $$", "tar cf - /etc/hosts 2>/dev/null",
    "ulimit -v 4000000; ls /",
    "find /etc -maxdepth 1 | sort", "gzip -c /etc/passwd | gzip -dc", "diff /etc/hosts /etc/passwd",
    "awk '{ n += length } END { print n }' /etc/passwd", "xargs -n 2 echo", "readelf -hW /bin/true",
    #"printf 'all:\n\t@echo made; exit 3\n' | make -s -f - 2>&-"#,
    "zsh -c 'echo ${(j:,:)$(seq 9)}'",
    "fish -c 'for i in (seq 3); echo $i; end'", "dd if=/etc/passwd bs=7 count=3 status=none",
    "env -i /bin/sh -c 'echo $PATH'", "echo 'class A; A a;' | g++ -x c++ -fsyntax-only -",
  ])
  func theProgramDoesTheSame(line: String) throws {
    let folder = try TemporaryDirectory()
    let table = folder.url.appending(path: "table").path
    let words = ["bash", "-c", line]
    let bare = try run("bash", ["-c", "exec \"$@\" < /etc/hosts", "bash"] + words)
    let counted = try run(
      "bash",
      [
        "-c", "exec \"$@\" < /etc/hosts", "bash", command.get(), "count", "*", "--output", table,
        "--",
      ]
        + words)
    #expect(counted.output == bare.output)
    #expect(counted.errorOutput == bare.errorOutput)
    #expect(counted.status == bare.status && counted.wasSignalled == bare.wasSignalled)
    let text = try String(contentsOfFile: table, encoding: .utf8)
    #expect(text.contains(" total, "))
  }

  /// Arguments are bytes, SIGCHLD stays ignored, and nobody has to read our notes.
  @Test(arguments: [
    (#"printf %s $'a\xffb'"#, "a\u{FFFD}b", 0), ("sh -c 'exit 3'", "", 3), ("sleep 0.1", "", 0),
    ("grep -c '^SigIgn:.*[1357]....$' /proc/self/status", "1\n", 0),
  ])
  func theProgramHasItsWordsAndSignals(program: String, output: String, status: CInt) throws {
    let script = """
      trap '' CHLD
      { (exec "$0" count open -- \(program)); echo $? >&5; } 5>status 2> >(exec <&-)
      """
    let folder = try TemporaryDirectory()
    let result = try run(
      "bash", ["-c", script, command.get()], currentDirectory: folder.url)
    #expect(result.output == output, "\(result.errorOutput)")
    let end = try String(contentsOf: folder.url.appending(path: "status"), encoding: .utf8)
    #expect(end == "\(status)\n")
  }

  /// With standard error closed, a table's file is not taken for it.
  @Test func closedStandardErrorStaysClosed() throws {
    let folder = try TemporaryDirectory()
    let script = """
      "$0" count open --output table -- sh -c 'echo note >&2; [ -e /proc/self/fd/2 ]; echo $?' 2>&-
      """
    let result = try run("bash", ["-c", script, command.get()], currentDirectory: folder.url)
    #expect(result.output == "1\n")
    let table = try String(contentsOf: folder.url.appending(path: "table"), encoding: .utf8)
    #expect(table.hasPrefix("calls ") && !table.contains("note"))
  }

  /// A signal that is sent to rebind-run alone reaches the program.
  @Test func signalsArePassedOn() throws {
    let line = """
      trap 'echo caught; exit 7' TERM
      echo ready
      while :; do sleep 0.05; done
      """
    let script = """
      coproc "$0" count malloc -- bash -c "$1"
      # bash forgets both as soon as the coprocess ends.
      exec 5<&${COPROC[0]}
      process=$COPROC_PID
      read -r word <&5
      kill -TERM $process
      read -r word <&5
      wait $process
      echo "$word $?"
      """
    let result = try run("bash", ["-c", script, command.get(), line])
    #expect(result.output == "caught 7\n")
  }

  /// If the program stops, rebind-run does, and both go on together.
  @Test func stopsWithTheProgram() throws {
    let script = """
      "$0" count malloc -- bash -c 'kill -STOP $$; exit 6' 2>/dev/null &
      state=T
      # Under strace a process that stops has another letter, and others have it for moments.
      grep -q '^TracerPid:.0$' /proc/$!/status || state=t
      until grep -q "^State:.$state" /proc/$!/status; do sleep 0.02; done
      while kill -CONT $! 2>/dev/null; do sleep 0.1; done &
      wait %1
      echo $?
      """
    #expect(try run("bash", ["-c", script, command.get()]).output == "6\n")
  }

  /// If rebind-run is killed, the program goes on.
  @Test func theProgramOutlivesTheCommand() throws {
    let script = """
      coproc "$0" count malloc -- bash -c 'echo ready; read -r word; ls -d /; echo "got $word"'
      exec 5<&${COPROC[0]} 6>&${COPROC[1]}
      read -r word <&5
      kill -KILL $COPROC_PID
      echo more >&6
      cat <&5
      """
    #expect(try run("bash", ["-c", script, command.get()]).output == "/\ngot more\n")
  }

  // MARK: - Refusals

  @Test func refusesWhatItCannotCount() throws {
    let builder = try FixtureBuilder(.gcc)
    let folder = builder.directory.url
    func path(_ name: String) -> String { folder.appending(path: name).path }
    func refusal(_ program: String) throws -> (String, Int32) {
      let result = try count(["*"], [program])
      #expect(result.output == "")
      return (result.errorOutput, result.status)
    }
    try Data("int main(void) { return 0; }\n".utf8).write(to: folder.appending(path: "main.c"))
    try builder.compile(["-static", "main.c", "-o", "static"])
    try builder.compile(["-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1", "main.c", "-o", "musl"])
    #expect(
      try refusal(path("static"))
        == (
          "rebind-run: \(path("static")) is linked statically: its calls go through no slots\n", 126
        ))
    #expect(try refusal(path("musl")).0.contains(" needs musl's loader, "))
    #expect(
      try refusal("no-such-program") == ("rebind-run: no-such-program: no such program\n", 127))
    #expect(
      try refusal(path("main.c")) == (
        "rebind-run: \(path("main.c")): no file that may be executed\n", 126
      ))
    let clang = try FixtureBuilder(.clang, in: builder.directory)
    try clang.compile([
      "--target=aarch64-linux-gnu", "-ffreestanding", "-c", "main.c", "-o", "other.o",
    ])
    try clang.link([
      "-m", "aarch64linux", "--dynamic-linker=/lib/ld-linux-aarch64.so.1", "-pie", "-e", "main",
      "-o", "other", "other.o",
    ])
    #if arch(x86_64)
    #expect(
      try refusal(path("other")).0.contains(" is for aarch64, and librebind-run.so for x86-64"))
    #endif
    // A script is what its interpreter is.
    try writeShellProgram("", to: path("script"))
    let edit = try run("sed", ["-i", "1s|.*|#!\(path("static"))|", path("script")])
    #expect(edit.succeeded)
    #expect(try refusal(path("script")).0.contains(" is linked statically"))
  }

  /// Of another user: its owner may run it counted.
  @Test(.enabled(if: geteuid() == 0, "changing a file's owner needs root"))
  func refusesSetUserIDPrograms() throws {
    let folder = try TemporaryDirectory()
    let program = folder.url.appending(path: "program").path
    let made = try run(
      "sh", ["-c", "cp /bin/true \"$0\" && chown 1 \"$0\" && chmod 4755 \"$0\"", program])
    #expect(made.succeeded)
    let result = try count(["*"], [program])
    #expect(result.status == 126 && result.errorOutput.contains(" is set-user-ID or set-group-ID"))
  }

  // MARK: - The library

  @Test func theLibraryExportsNothingAndNeedsLibcAlone() throws {
    _ = try command.get()
    let dynamic = try run("readelf", ["--dynamic", "--wide", preloadedLibrary]).output
    #expect(dynamic.matches(of: /\(NEEDED\).*\[(.*)\]/).map { String($0.1) } == ["libc.so.6"])
    #expect(!dynamic.contains("RUNPATH") && !dynamic.contains("RPATH"))
    let symbols = try run("readelf", ["--dyn-syms", "--wide", preloadedLibrary]).output
    #expect(symbols.contains(" UND "))
    #expect(
      symbols.split(separator: "\n").filter { $0.contains(" DEFAULT ") && !$0.contains(" UND ") }
        == [])
  }

  /// No register of numbers or vectors is saved around the handler.
  @Test func theHandlerUsesGeneralRegistersAlone() throws {
    _ = try command.get()
    let folder = try TemporaryDirectory()
    let sources = Places.package.appending(path: "Sources").path
    for compiler in Compiler.all {
      try compile(
        compiler,
        [
          "-O2", "-fPIC", "-c", "\(sources)/CRebindRun/count.c", "-I\(sources)/CRebind/include",
          "-I\(sources)/CRebindStubs/include", "-I\(sources)/CRebindRun/include", "-o", "count.o",
        ], in: folder.url)
      let code = try run("objdump", ["-d", folder.url.appending(path: "count.o").path]).output
      #expect(code.contains("crebind_run_count") && !code.contains(/[xyz]mm|\b[qv][0-9]+\b|call/))
    }
  }

  /// Each command of the page and of README runs, and prints a table.
  @Test(arguments: [("Sources/rebind-run/rebind-run.docc/rebind-run.md", 10), ("README.md", 3)])
  func thePagesCommandsRun(page: String, count: Int) throws {
    let lines = try Places.package.appending(path: page).codeBlocks(of: "console")
      .flatMap { $0.split(separator: "\n") }
      .filter { $0.hasPrefix("$ rebind-run ") }.map { String($0.dropFirst(2)) }
    #expect(lines.count == count)
    let folder = try TemporaryDirectory()
    let temporary = try TemporaryDirectory()
    for line in lines {
      let result = try run(
        "bash", ["-c", "rebind-run() { \"$0\" \"$@\"; }; \(line)", command.get()],
        environment: ["TMPDIR": temporary.url.path], currentDirectory: folder.url)
      // Only the programs fail that cannot write, or are given a file that is not there.
      let fails = line.contains(/fail (write=ENOSPC|'write,)| \/nowhere/)
      #expect(result.succeeded != fails, "\(line)\n\(result.errorOutput)")
      #expect(
        line.contains("--output") || result.errorOutput.contains("total")
          || line.contains("sweep") && result.output.contains(" runs, "), "\(line)")
    }
  }
}
