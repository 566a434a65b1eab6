import TestSupport

/// The ways that output may go: pipes, full disks, terminals, odd names.
@Suite(.needsCommands, .measured) struct OutputTests {
  @Test func aClosedPipeIsQuiet() throws {
    let path = try InstalledFile.libswiftCore.path
    // The usual way: SIGPIPE ends it, as it ends cat.
    let usual = try bash(#"set -o pipefail; "$0" "$1" | head -1"#, [path])
    #expect(usual.status == 141 && usual.errorOutput.isEmpty)
    #expect(usual.output.split(separator: "\n").count == 1)
    // And where the parent ignores SIGPIPE.
    let ignored = try bash(#"set -o pipefail; trap '' PIPE; "$0" "$1" | head -1"#, [path])
    #expect(ignored.status == 141 && ignored.errorOutput.isEmpty)
  }

  @Test(arguments: ["text", "json", "jsonl"])
  func aFullDiskIsAnError(format: String) throws {
    let result = try bash(
      #""$0" --format "$2" "$1" > /dev/full"#, [try InstalledFile.libc.path, format])
    #expect(result.status == 2)
    #expect(result.errorOutput == "rebind-inspect: standard output: No space left on device\n")
  }

  @Test func aClosedStandardErrorLosesNothingElse() throws {
    let path = try InstalledFile.libc.path
    let result = try bash(#""$0" /nowhere "$1" 2>&-"#, [path])
    #expect(result.status == 2)
    #expect(result.output == "\(path):\n" + (try inspect([path]).output))
  }

  /// The pipe is full when the file shrinks, so the tool is in the middle of it.
  @Test func aFileThatShrinksIsAnError() throws {
    let scratch = try TemporaryDirectory()
    let copy = scratch.url.appending(path: "copy").path
    try FileManager.default.copyItem(atPath: try InstalledFile.libswiftCore.path, toPath: copy)
    let result = try bash(
      #"set -o pipefail; "$0" "$1" | { read -r line; truncate -s 0 "$1"; cat > /dev/null; }"#,
      [copy])
    #expect(result.status == 2 && !result.wasSignalled)
    #expect(
      result.errorOutput
        == "rebind-inspect: \(copy): truncated: the file became shorter while it was read\n")
  }

  @Test func colourAndColumns() throws {
    let fixture = try BuiltFixture()
    let plain = try inspect([fixture.path]).output
    #expect(!plain.contains("\u{1B}") && !plain.contains("  ") && !plain.contains("\t"))
    #expect(try inspect(["--color", "never", fixture.path]).output == plain)
    let colored = try inspect(["--color", "always", fixture.path]).output
    #expect(colored.contains("\u{1B}[36m@@INSPECT_2\u{1B}[0m"))
    #expect(colored.replacing(/\u{1B}\[[0-9]*m/, with: "") == plain)
    #expect(
      try inspect(["--color", "always", "--format", "json", fixture.path]).output.contains("\u{1B}")
        == false)
  }

  @Test(arguments: [
    ([:], true), (["NO_COLOR": "1"], false), (["NO_COLOR": ""], true), (["TERM": "dumb"], false),
  ])
  func terminal(environment: [String: String], isColored: Bool) throws {
    let fixture = try BuiltFixture()
    let result = try inspectOnTerminal([fixture.path], environment: environment)
    #expect(result.output.contains("\u{1B}[") == isColored)
    let lines = result.output.replacing(/\u{1B}\[[0-9]*m/, with: "").split(separator: "\r\n")
    // All columns in front of the name are aligned, under their titles.
    let title = try #require(lines.first?.range(of: "NAME"))
    let start = lines[0].distance(from: lines[0].startIndex, to: title.lowerBound)
    #expect(lines.count > 10)
    #expect(lines.allSatisfy { $0.dropFirst(start - 1).first == " " })
    #expect(lines.dropFirst().allSatisfy { $0.dropFirst(start).first != " " })
  }

  /// A name with a control sequence, a quote, a space and a byte that is no UTF-8.
  @Test func oddNamesAreSafe() throws {
    let fixture = try BuiltFixture()
    var bytes = try fixture.bytes()
    let name = try #require(bytes.range(of: Data("oddly_named_symbol".utf8)))
    let odd = Data(
      [0x1b] + Array("[2J \"\\".utf8) + [0xff, 0xc2, 0x9b] + Array("é§abcde".utf8).prefix(8))
    #expect(odd.count == name.count)
    bytes.replaceSubrange(name, with: odd)
    let path = try fixture.write(bytes, as: "odd.so")

    let line = try #require(
      try inspect([path]).output.split(separator: "\n").first { $0.contains("[2J") })
    #expect(line.hasSuffix(#" \x1b[2J\x20"\\\xff\xc2\x9bé§abcd"#))
    let symbols = try #require(try Report([path]).files.first?.symbols)
    #expect(symbols.contains { $0.name == "\u{1B}[2J \"\\\u{FFFD}\u{9B}é§abcd" })
  }

  /// A name that turns the text behind it is seen to do so, in each format for people and in JSON.
  @Test(arguments: [
    "\u{202E}", "\u{2066}", "\u{200F}", "\u{200B}", "\u{FEFF}", "\u{2028}", "\u{E0041}",
  ])
  func namesTurnNoText(mark: String) throws {
    let fixture = try BuiltFixture()
    var bytes = try fixture.bytes()
    let name = try #require(bytes.range(of: Data("oddly_named_symbol".utf8)))
    let odd = (mark + "nmlfdrowssap_symbol").utf8.prefix(name.count)
    bytes.replaceSubrange(name, with: odd)
    let path = try fixture.write(bytes, as: "turned.so")
    let text = try inspect([path]).output
    let escaped = mark.utf8.map { #"\x"# + String($0, radix: 16) }.joined()
    #expect(!text.contains(mark) && text.contains(escaped))
    let json = try inspect(["--format", "json", path]).output
    #expect(!json.contains(mark) && json.contains(#""name":"\u"#))
    let symbols = try #require(try Report([path]).files.first?.symbols)
    #expect(symbols.contains { $0.name == String(decoding: odd, as: UTF8.self) })
    #expect(!(try inspect(["/nowhere\(mark)"]).errorOutput.contains(mark)))
  }

  @Test func aPathNeedNotBeUTF8() throws {
    let scratch = try TemporaryDirectory()
    let result = try bash(
      #"cd "$2" && odd=$(printf 'a\377\364\217\274\200') && cp "$1" "$odd" && "$0" --format json "$odd""#,
      [try InstalledFile.libc.path, scratch.url.path])
    #expect(result.succeeded)
    let report = try result.report()
    // U+10FF00, which is how the bytes that are no UTF-8 travel inside, is a path as any other.
    #expect(report.files[0].path == "a\u{FFFD}\u{10FF00}")
    #expect(report.files[0].pathBytes == "61fff48fbc80")
    #expect(report.files[0].symbols?.isEmpty == false)
  }

  @Test func aPathCannotControlTheTerminal() throws {
    let result = try inspect(["/nowhere\u{1B}[2J\n"])
    #expect(
      result.errorOutput == "rebind-inspect: /nowhere\\x1b[2J\\x0a: No such file or directory\n")
  }

  /// So many paths that argument-parser alone would take a second.
  @Test func manyPaths() throws {
    let paths = (0..<5000).map { "/nowhere/\($0)" }
    let result = try inspect(["symbols", "--format", "jsonl"] + paths + ["--", "-dashed"])
    #expect(try result.lines().map(\.path) == paths + ["-dashed"])
  }

  /// The width of the usual terminal holds for usage, lists and examples too, whose lines are not
  /// broken.
  @Test func linesOfHelpHaveAtMost80Columns() throws {
    for command in try [[]] + Subcommands.names().map({ [$0] }) {
      let help = try inspect(command + ["--help"]).output
      for line in help.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    }
  }

  /// The arguments that the usage names are those that the help explains.
  @Test func usageNamesTheArguments() throws {
    for help in try SubcommandHelp.all() {
      let text = try inspect([help.commandName, "--help"]).output
      let usage = text.components(separatedBy: "USAGE:")[1].components(separatedBy: "\n\n")[0]
      // The values of options stand behind these.
      let named = usage.replacing(/--?[a-z-]+ <[^>]+>/, with: "")
        .matches(of: /<([^>]+)>/).map { String($0.1) }
      let explained = (help.arguments ?? []).filter { $0.kind == "positional" }
        .compactMap(\.valueName)
      #expect(Set(named).subtracting(["options"]) == Set(explained), "\(help.commandName)")
    }
  }

  /// The help says when a column is there, shows words as text has them, and names options as they
  /// are written.
  @Test func columnsOfTheHelp() throws {
    func help(_ name: String) throws -> String {
      try inspect([name, "--help"]).output.replacing(/\s+/, with: " ")
    }
    let symbols = try help("symbols")
    for words in [
      " FROM the path of the image that the import comes from; with --resolve ",
      " READABLE the readable name, to the end of the line; with --demangle ",
    ] {
      #expect(symbols.contains(words))
    }
    #expect(try help("who-imports").contains(" VALUE the word in the slot; with --pid "))
    #expect(try help("images").contains(" FILE the state of its file: same, deleted, replaced "))
    #expect(try help("section").contains(" --as: strings "))
    for name in try Subcommands.names() {
      let columns = try inspect([name, "--help"]).output.components(separatedBy: "COLUMNS")
        .dropFirst().first?.components(separatedBy: "\n\n")[0]
      #expect(columns?.contains("\"") != true, "\(name)")
    }
  }

  @Test func help() throws {
    let result = try inspect(["symbols", "--help"])
    #expect(result.succeeded)
    for word in ["--imports", "--demangle", "EXAMPLES", "default: text", "default: auto"] {
      #expect(result.output.contains(word))
    }
    #expect(try inspect(["--version"]).succeeded)
  }
}
