import TestSupport

/// Lines on a terminal, which are broken between columns where they are too wide for it.
@Suite(.needsCommands, .measured, .notInCheck) struct TerminalTests {
  let fixture = DependencyFixture()

  private func lines(_ arguments: [String], columns: Int) throws -> [String] {
    let script = #"stty cols \#(columns); exec "$0" "$@""#
    let result = try run(
      Places.python,
      ["-c", "import pty, sys; pty.spawn(sys.argv[1:])", "bash", "-c", script, inspectPath]
        + arguments, environment: ["NO_COLOR": "1", "TERM": "xterm"])
    return result.output.components(separatedBy: "\r\n").dropLast()
  }

  /// The words of lines, with the parts of lists together.
  private func words(_ lines: [String]) -> [String] {
    lines.flatMap { $0.split(separator: " ").map(String.init) }.reduce(into: []) { words, word in
      if words.last?.hasSuffix(",") == true {
        words[words.count - 1] += word
      } else {
        words.append(word)
      }
    }
  }

  /// A list goes on behind a comma, and a name in brackets or a path has none that counts.
  @Test func lists() throws {
    let names = (0..<12).map { "a_function_of_a_list_\($0)" }
    let calls = names.map { "void \($0)(void);" }.joined()
    let map = try fixture.write(
      "map", Data("LIST_1 { global: *; };".utf8))
    try fixture.library(
      "liblist.so", names.map { "void \($0)(void) {}" }.joined(separator: "\n"),
      flags: ["-Wl,--version-script=\(map)"])
    let library = try fixture.library(
      "libuse.so", "\(calls) void use(void) { \(names.map { "\($0)();" }.joined()) }",
      needs: ["liblist.so"])
    for arguments in [["requires", library], ["segments", library]] {
      let wide = try lines(arguments, columns: 2000)
      let narrow = try lines(arguments, columns: 80)
      #expect(wide.contains { $0.count > 200 } || arguments[0] == "segments")
      #expect(narrow.allSatisfy { $0.count <= 80 }, "\(narrow)")
      #expect(words(narrow) == words(wide))
      #expect(narrow.contains { $0.hasSuffix(",") })
    }
    for name in names {
      #expect(try lines(["requires", library], columns: 80).contains { $0.contains(name) })
    }
    // A folder with a comma in its name, and a longer name than a line.
    let folder = "folder,\(String(repeating: "long", count: 20)),end"
    try FileManager.default.createDirectory(
      at: fixture.directory.url.appending(path: folder), withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: library, toPath: fixture.path("\(folder)/libuse.so"))
    let paths = try lines(["who-imports", names[0], fixture.path(folder)], columns: 80)
    #expect(paths.contains { $0.hasSuffix("\(folder)/libuse.so") })
  }

  // A slow machine shows a progress bar.
  @Test(arguments: [
    ["symbols"], ["slots"], ["relocations"], ["dynamic"], ["segments"], ["sections"], ["notes"],
    ["hardening"], ["tree"], ["why", "getppid"], ["who-imports", "--no-progress", "get*"],
  ])
  func eightyColumns(command: [String]) throws {
    let program = try fixture.program(
      "program",
      "#include <unistd.h>\nint \(String(repeating: "long_", count: 20))(void) { return getppid(); }",
      flags: ["-rdynamic"])
    let wide = try lines(command + [program], columns: 2000)
    let narrow = try lines(command + [program], columns: 80)
    #expect(words(narrow) == words(wide) && !wide.isEmpty)
    if command == ["segments"] { #expect(narrow.allSatisfy { $0.count <= 80 }) }
    for line in narrow where line.count > 80 {
      // Only a word that is wider than the terminal.
      #expect(line.split(separator: " ").count == 1, "\(line)")
    }
    #expect(wide.contains { $0.count > 80 } == (narrow.count > wide.count))
    // A line that goes on is indented.
    #expect(narrow.filter { !$0.hasPrefix("    ") }.count <= wide.count)
  }

  /// A column of values is as wide as these: a symbol takes one line of 80 columns.
  @Test func symbolsTakeALine() throws {
    let library = try fixture.library("lib.so", "int value; int function(void) { return value; }")
    let narrow = try lines(["symbols", "--exports", library], columns: 80)
    #expect(narrow.count == 3 && narrow.allSatisfy { $0.count < 80 }, "\(narrow)")
    #expect(narrow[0].contains("VALUE"))
  }

  #if arch(arm64)
  private static let relocation = "R_AARCH64"
  #else
  private static let relocation = "R_X86_64"
  #endif

  /// Titles stay above their columns in lines that go on.
  @Test func titlesAboveColumns() throws {
    let program = try fixture.program("program")
    let lines = try lines(["slots", program], columns: 60)
    let titles = ["ADDRESS", "RELOCATION", "KIND", "SECTION", "BINDING", "RELRO", "NEEDS"]
    let cells = [Self.relocation, "globDat", ".got", "now", "relro"]
    for (title, cell) in zip(titles.dropFirst(), cells) {
      let places = [(0, title), (1, cell)].map { start, text -> [Int] in
        // A slot's lines are as many as those of the titles.
        let count = lines.firstIndex { $0.contains("SYMBOL") }! + 1
        let part = Array(lines[(start * count)..<((start + 1) * count)])
        guard let line = part.firstIndex(where: { $0.contains(text) }) else { return [] }
        return [line, part[line].range(of: text)!.lowerBound.utf16Offset(in: part[line])]
      }
      #expect(places[0] == places[1] && !places[0].isEmpty, "\(title)")
    }
  }

  /// A readable name stays whole, with its spaces.
  @Test func readableNames() throws {
    let name = "a_function_with_a_rather_long_name(unsigned long, unsigned long, char const*)"
    let library = try fixture.library(
      "lib.so",
      "void _Z34a_function_with_a_rather_long_namemmPKc(void) {}")
    let narrow = try lines(
      ["symbols", "--demangle", "--exports", library], columns: 80)
    #expect(narrow.contains { $0.contains(name) })
  }

  @Test func otherFormatsStayAsTheyAre() throws {
    let program = try fixture.program("program")
    #expect(
      try lines(["symbols", "--format", "jsonl", program], columns: 80).count == 1)
  }
}
