import TestSupport

/// Calls that `rebind-run fail` and `delay` strike.
@Suite(.needsCommands, .measured) struct FailTests {
  private static let program = Result {
    let builder = try FixtureBuilder(.gcc)
    try builder.build("failing-calls", from: ["failing-calls.c"], withCore: false)
    return builder.directory
  }

  private func fail(_ words: [String], _ arguments: [String], command name: String = "fail") throws
    -> ProcessResult
  {
    let program = try Self.program.get().url.appending(path: "failing-calls").path
    return try run(command.get(), [name] + words + ["--", program] + arguments)
  }

  private func lines(_ words: [String], _ arguments: [String]) throws -> [String] {
    try fail(words, arguments).output.split(separator: "\n").map(String.init)
  }

  /// Each function fails as it does by itself: with its result, its error, and what it has done until then.
  @Test func failsAsUsual() throws {
    let passed = [
      "open 0 -", "read 64 -", "close 0 -", "is open -1 EBADF", "malloc 1 -", "fwrite 3 -",
      "ferror 0 -", "pthread_create 0 -",
    ]
    func expect(_ fault: String, _ changes: [String: String], line: Int = #line) throws {
      let lines = try lines([fault, "--in", "failing-calls"], ["each", "/etc/passwd"])
      let expected = passed.map { line in
        changes.first { line.hasPrefix($0.key + " ") }.map { "\($0.key) \($0.value)" } ?? line
      }
      #expect(lines == expected, "\(fault), line \(line)")
    }
    try expect("nanosleep", [:])
    try expect("malloc", ["malloc": "0 ENOMEM"])
    try expect("malloc=NULL", ["malloc": "0 -"])
    // It has closed.
    try expect("close=EIO", ["close": "-1 EIO"])
    try expect("close", ["close": "-1 EIO"])
    try expect("fwrite", ["fwrite": "0 ENOSPC", "ferror": "1 -"])
    try expect("pthread_create", ["pthread_create": "\(EAGAIN) -"])
    try expect("pthread_create=ENOMEM", ["pthread_create": "\(ENOMEM) -"])
    try expect("read=short:9", ["read": "9 -"])
    try expect("read=short", ["read": "1 -"])
    try expect("read=EINTR", ["read": "-1 EINTR"])
    try expect(
      "open=EACCES", ["open": "-1 EACCES", "read": "-1 EBADF", "close": "-1 EBADF"])
  }

  /// The calls of both processes are counted together: the child makes the first five.
  @Test(arguments: [
    (["--on", "3"], [3]), (["--on", "4-6"], [4, 5, 6]), (["--on", "9-"], [9, 10]),
    (["--every", "4"], [4, 8]), (["--on", "2-", "--every", "3"], [2, 5, 8]), ([], Array(1...10)),
  ])
  func choosesCalls(options: [String], expected: [Int]) throws {
    let lines = try lines(["getuid=77"] + options, ["ten"])
    #expect(lines.indices.filter { lines[$0] == "1" }.map { $0 + 1 } == expected)
  }

  @Test func choosesByPathAndImage() throws {
    let paths = ["/etc/passwd", "/etc/group", "/dev/null"]
    #expect(
      try lines(["open=EACCES", "--when", "path=/etc/*"], ["open"] + paths)
        == ["EACCES", "EACCES", "-"])
    #expect(
      try lines(["open=EACCES", "--in", "libc.so.6"], ["open"] + paths) == ["-", "-", "-"])
    #expect(
      try lines(["open=ENFILE,open=EACCES", "--on", "2"], ["open"] + paths) == [
        "-", "ENFILE", "EACCES",
      ])
  }

  @Test func tellsWhatItStruck() throws {
    let result = try fail(["open=EACCES,getuid=1,fread", "--on", "2"], ["open", "a", "b"])
    #expect(
      result.errorOutput == """
        struck  function  from
             1  open      failing-calls
             1  total, 1 process
        rebind-run: 'getuid' was never called
        rebind-run: 'fread' matched nothing: no image in scope imports fread: libc.so.6 defines it, and its own \
        calls, if it makes any, go through no slot

        """)
    #expect(
      try fail(["open", "--on", "9"], ["open", "a"]).errorOutput
        == "rebind-run: 'open' was called once, and the first call to strike is number 9\n")
  }

  @Test func waits() throws {
    let bare = try fail(["getppid=1ns", "--on", "2"], ["time"], command: "delay")
    let delayed = try fail(["getppid=70ms"], ["time"], command: "delay")
    #expect(Int(bare.output.dropLast()) != nil)
    #expect(try #require(Int(delayed.output.dropLast())) >= 70)
  }

  @Test(arguments: [
    ("unknown", "no usual failure of unknown is known: write unknown=ERROR"),
    ("open=ENOTHING", "'ENOTHING' is neither an error"),
    ("sqrt", "returns a number with a fraction"),
    ("open=ENOENT=EIO", "at most one result behind it"), ("=EIO", "write a function"),
    ("open --on 0", "--on takes 3, 2-4 or 5-"), ("open --when file=x", "--when takes path=PATTERN"),
  ])
  func refusesFaults(words: String, sentence: String) throws {
    let result = try fail(words.split(separator: " ").map(String.init), ["open"])
    #expect(result.status == 64 && result.errorOutput.contains(sentence), "\(result.errorOutput)")
  }

  /// By the errors that calls fail with.
  @Test func countsFailedCalls() throws {
    let paths = ["/etc/passwd", "/none", "/none/a", "/etc/passwd/a", "/dev/null"]
    let program = try Self.program.get().url.appending(path: "failing-calls").path
    let result = try count(
      ["open,close", "--results", "--in", "failing-calls"], [program, "open"] + paths)
    #expect(
      result.errorOutput == """
        calls  failed  function  library    errors
            5       3  open      libc.so.6  ENOENT 2, ENOTDIR 1
            2          close     libc.so.6
            7  total, 1 process

        """)
    let json = try count(["open", "--results", "--format", "json"], [program, "open"] + paths)
    #expect(json.errorOutput.contains("\"failed\": 3, \"errors\": {\"ENOENT\": 2, \"ENOTDIR\": 1}"))
  }
}
