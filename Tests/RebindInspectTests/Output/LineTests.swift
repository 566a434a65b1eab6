import TestSupport

#if Commands
@testable import rebind_inspect
#endif

/// Lines of text by themselves: with their path, under titles; and lists of files.
@Suite(.needsCommands, .measured) struct LineTests {
  private static let inputs = ["x86-64.so", "aarch64.so"].map {
    GoldenTests.folder.appending(path: $0).path
  }

  /// The lines are those without the option, with the path in front, without headings.
  @Test(arguments: Subcommands.ofFiles + Subcommands.ofSearches)
  func eachLineHasItsPath(command: [String]) throws {
    var expected: [String] = []
    for path in Self.inputs {
      let lines = try inspect(command + [path]).output.split(separator: "\n")
      expected += lines.map { "\(path) \($0)" }
    }
    for option in ["-A", "--with-path"] {
      let result = try inspect([command[0], option] + command.dropFirst() + Self.inputs)
      // `requires` says what holds for all of them.
      let lines = result.output.split(separator: "\n").filter { !$0.hasPrefix("maximum ") }
      #expect(lines.map(String.init) == expected)
    }
  }

  @Test func pathsHaveNoSpacesOnLines() throws {
    let fixture = try BuiltFixture()
    let path = try fixture.write(fixture.bytes(), as: "a b\n.so")
    let lines = try inspect(["segments", "-A", path]).output.split(separator: "\n")
    #expect(!lines.isEmpty && lines.allSatisfy { $0.contains("/a\\x20b\\x0a.so ") })
  }

  #if Commands
  /// Titles stand above each file, or once if each line has its path.
  @Test func titlesInPipes() throws {
    let title = SegmentsCommand.columns.compactMap { $0.column?.title.description }
      .joined(separator: " ")
    #expect(title.hasPrefix("INDEX TYPE "))
    let plain = try inspect(["segments"] + Self.inputs).output
    #expect(!plain.contains(title))
    let titled = try inspect(["segments", "--header"] + Self.inputs).output
    #expect(titled.replacing("\(title)\n", with: "") == plain)
    #expect(titled.ranges(of: "\(title)\n").count == 2)
    let named = try inspect(["segments", "--header", "-A"] + Self.inputs).output
    #expect(named.hasPrefix("FILE \(title)\n/"))
    #expect(named.ranges(of: title).count == 1)
  }
  #endif

  @Test func onATerminalTheColumnsBehindThePathAreAligned() throws {
    let shown = try inspectOnTerminal(
      ["segments", "-A"] + Self.inputs, environment: ["NO_COLOR": "1"]
    ).output.split(separator: "\r\n")
    let titles = shown.filter { $0.hasPrefix("FILE ") }
    #expect(titles.count == 2)
    let place = try #require(titles.first?.range(of: "INDEX")).upperBound
    let count = titles[0].distance(from: titles[0].startIndex, to: place)
    let lines = shown.filter { $0.contains("x86-64.so") }
    #expect(lines.count > 3)
    for line in lines { #expect(line.prefix(count).last?.isNumber == true, "\(line)") }
  }

  /// The options are for text alone.
  @Test(arguments: ["--with-path", "--header"], ["json", "jsonl", "rows", "csv"])
  func linesAreOfText(option: String, format: String) throws {
    let result = try inspect(["symbols", option, "--format", format] + Self.inputs)
    #expect(result.status == 64 && result.errorOutput.contains("\(option) is for --format text."))
  }

  /// A list of files, from a file or a pipe, in lines or ended by zero bytes, is as good as arguments.
  @Test(arguments: [
    ["symbols"], ["slots"], ["hardening"], ["why", "malloc"], ["who-imports", "provided_*"],
    ["tree"],
  ])
  func listsOfFiles(command: [String]) throws {
    let behind = command[0] == "why" ? ["--in"] : []
    let expected = try inspect(command + behind + Self.inputs)
    #expect(!expected.output.isEmpty)
    let scratch = try TemporaryDirectory()
    for (end, option) in [("\n", []), ("\0", ["-0"])] {
      let list = scratch.url.appending(path: "list\(option.count)")
      try Data(Self.inputs.map { $0 + end }.joined().utf8).write(to: list)
      let read = try inspect(command + option + ["--files-from", list.path])
      #expect(read.output == expected.output && read.status == expected.status)
      let piped = try bash(
        #"list=$1; shift; "$0" "$@" --files-from - < "$list""#, [list.path] + command + option)
      #expect(piped.output == expected.output)
    }
  }

  /// Files of the command line come first. A check of no file would find nothing.
  @Test func listsBesideArguments() throws {
    let both = try bash(
      #"echo "$2" | "$0" symbols --format jsonl "$1" --files-from -"#, Self.inputs)
    #expect(try both.lines().map(\.path) == Self.inputs)
    let two = try bash(
      #""$0" symbols --format jsonl --files-from <(echo "$1") --files-from <(echo "$2")"#,
      Self.inputs)
    #expect(try two.lines().map(\.path) == Array(Self.inputs.prefix(2)))
    let beside = try bash(#""$0" symbols --format jsonl --files-from /dev/null "$1""#, Self.inputs)
    #expect(try beside.lines().map(\.path) == Array(Self.inputs.prefix(1)))
    for command in [["symbols"], ["hardening", "--require", "relro=full"]] {
      let none = try inspect(command + ["--files-from", "/dev/null"])
      #expect(none.status == 2 && none.output == "")
      #expect(none.errorOutput == "rebind-inspect: /dev/null: the list names no file\n")
    }
  }

  /// A name need not be UTF-8.
  @Test func namesOfListsAreBytes() throws {
    let result = try bash(#"printf '/nowhere/\377\0' | "$0" -0 --files-from - --format jsonl"#)
    #expect(try result.lines().map(\.pathBytes) == ["2f6e6f77686572652fff"])
  }

  @Test func listsThatCannotBeRead() throws {
    let absent = try inspect(["symbols", "--files-from", "/nowhere"])
    #expect(absent.status == 2 && absent.output.isEmpty)
    #expect(absent.errorOutput == "rebind-inspect: /nowhere: No such file or directory\n")
    let folder = try inspect(["symbols", "--files-from", "/"])
    #expect(folder.status == 2 && folder.errorOutput == "rebind-inspect: /: Is a directory\n")
    // Of names in one line, the first alone would be read.
    for source in ["-", "/dev/stdin"] {
      let ended = try bash(
        #"printf '%s\0' "$@" | "$0" symbols --files-from \#(source)"#, Self.inputs)
      #expect(ended.status == 2 && ended.output.isEmpty)
      #expect(
        ended.errorOutput == """
          rebind-inspect: \(source == "-" ? "standard input" : source): \
          the names end in zero bytes, which -0 reads

          """)
    }
    #expect(try inspect(["symbols", "-0"] + Self.inputs).status == 64)
    #expect(try inspect(["symbols"]).errorOutput.contains("Missing expected argument '<file> ...'"))
  }
}
