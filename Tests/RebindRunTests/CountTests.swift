import TestSupport

/// The calls that `rebind-run count` counts are those that the program counts itself.
@Suite(.needsCommands, .measured) struct CountTests {
  /// An awaited call that ends in another one does not hide that.
  @Test(.notInCheck, arguments: [[], ["--results"]])
  func tailCallsCount(options: [String]) throws {
    let builder = try FixtureBuilder(.gcc)
    try builder.buildLibrary("libbar.so", from: "tail.c", flags: ["-O2", "-DBAR"])
    try builder.buildLibrary(
      "libfoo.so", from: "tail.c", flags: ["-O2", "-DFOO", builder.runPath], libraries: ["-lbar"])
    let program = try builder.build(
      "tail", from: ["tail.c"], flags: ["-O2", builder.runPath, "-Wl,-rpath-link,."],
      libraries: ["-lfoo"], withCore: false)
    let calls = try CountedCalls(
      count(["foo,bar", "--format", "json"] + options, [program.path]))
    #expect(calls.calls(of: "foo") == 1000 && calls.calls(of: "bar") == 1000)
  }

  /// Tests/Fixtures/run/counted-calls.c, with its library and plug-in.
  struct CountedProgram {
    let builder: FixtureBuilder
    var folder: URL { builder.directory.url }

    init(_ compiler: Compiler = .gcc, flags: [String]) throws {
      builder = try FixtureBuilder(compiler)
      let source = "counted-calls.c"
      try builder.buildLibrary("libcounted.so", from: source, flags: ["-DLIBRARY"])
      try builder.buildLibrary(
        "plugin.so", from: source,
        flags: ["-DPLUGIN", builder.runPath] + flags.filter { $0 != "-no-pie" },
        libraries: ["-lcounted"])
      try builder.build(
        "counted", from: [source], flags: flags + [builder.runPath], libraries: ["-lcounted"],
        withCore: false)
    }

    var words: [String] {
      ["counted", "plugin.so"].map { folder.appending(path: $0).path }
    }
  }

  /// Threads, a signal handler, later images and their constructors, what dlsym gives, children that end in each
  /// way, and what they execute with an empty environment.
  @Test(
    arguments: Compiler.all,
    [["-Wl,-z,lazy"], ["-Wl,-z,now"], ["-fno-plt"], ["-no-pie", "-fno-pie"]])
  func countsWhatTheProgramCounts(compiler: Compiler, flags: [String]) throws {
    let program = try CountedProgram(compiler, flags: flags)
    let result = try count(["first,second", "--by", "both", "--format", "json"], program.words)
    #expect(result.wasSignalled && result.status == SIGTERM)
    var expected = [0, 0]
    for line in result.output.split(separator: "\n") {
      let words = line.split(separator: " ")
      for index in 0...1 { expected[index] += try #require(Int(words[index * 2 + 1])) }
    }
    #expect(expected[0] == 1000 + 4 * 500 + 4 * 20 + 2 * 8)
    let calls = try CountedCalls(result)
    #expect([calls.calls(of: "first"), calls.calls(of: "second")] == expected)
    #expect(calls.total == expected[0] + expected[1])
    #expect(calls.notes == [])
    let plugin = calls.lines.filter { $0.image?.hasSuffix("/plugin.so") == true }
    #expect(plugin.reduce(0) { $0 + $1.calls } == 2 * (7 + 1))
    // The program, four forked children, of which two execute it, one from vfork, and a spawned one.
    #expect(calls.processes == 9)
  }

  /// lld puts the PLT last in its segment, and the function that is called last into the last entry: nothing lies behind
  /// that one. A slot that is taken for a bound one would lead back to the resolver without an end.
  @Test func countsTheLastEntryOfAPLT() throws {
    let builder = try FixtureBuilder(.gcc)
    let source = "int first(int number) { return number; }\n"
    let caller = """
      int puts(const char *), first(int);
      int main(void) {
        puts("called");
        for (int i = 0; i < 9; i++) first(i);
        return 0;
      }

      """
    let folder = builder.directory.url
    try Data(source.utf8).write(to: folder.appending(path: "library.c"))
    try Data(caller.utf8).write(to: folder.appending(path: "main.c"))
    try builder.compile(["-shared", "-fPIC", "library.c", "-o", "libfirst.so"])
    try builder.compile([
      "-fuse-ld=lld", "-Wl,-z,lazy", "main.c", "-o", "main", "-L.", "-lfirst", builder.runPath,
    ])
    let program = folder.appending(path: "main").path
    let result = try run(
      command.get(), ["count", "first", "--format", "json", "--", program], processorTime: 20)
    #expect(result.output == "called\n")
    #expect(try CountedCalls(result).total == 9)
  }

  @Test func readsNamesOfCPlusPlus() throws {
    let folder = try TemporaryDirectory()
    let source = """
      #include <string>
      namespace counted { int twice(const std::string &text); }
      #ifdef LIBRARY
      int counted::twice(const std::string &text) { return 2 * (int)text.size(); }
      #else
      int main() { int sum = 0; for (int i = 0; i < 9; i++) sum += counted::twice("ab"); return sum; }
      #endif
      """
    try Data(source.utf8).write(to: folder.url.appending(path: "twice.cpp"))
    let compiler = Compiler("g++")
    try compile(
      compiler, ["-shared", "-fPIC", "-DLIBRARY", "twice.cpp", "-o", "libtwice.so"], in: folder.url)
    try compile(
      compiler, ["twice.cpp", "-o", "twice", "-L.", "-ltwice", "-Wl,-rpath,$ORIGIN"], in: folder.url
    )
    let program = [folder.url.appending(path: "twice").path]
    let calls = try CountedCalls(count(["libtwice.so:*", "--format", "json"], program))
    #expect(calls.lines.map(\.calls) == [9])
    #expect(calls.lines[0].readable?.hasPrefix("counted::twice(std::") == true)
    let text = try count(["libtwice.so:*"], program)
    #expect(text.status == 36)
    #expect(text.errorOutput.contains("    9  counted::twice(std::"))
  }

  /// Each with its own library, version and calling image.
  @Test func choosesByPattern() throws {
    let program = try CountedProgram(flags: [])
    func lines(_ options: [String]) throws -> [String] {
      try count(options + ["--format", "csv"], program.words).errorOutput
        .split(separator: "\n").map(String.init)
    }
    let library = program.folder.appending(path: "libcounted.so").path
    #expect(
      try lines(["libcounted.so:f?rst"]) == [
        "calls,function,version,library", "3096,first,,\(library)",
      ])
    #expect(
      try lines(["fi*", "--in", "plugin.so", "--by", "image"]).last?.hasPrefix("14,/") == true)
    #expect(try lines(["fork@GLIBC_*"]).last?.hasPrefix("4,fork,GLIBC_2.") == true)
    #expect(try lines(["*", "--top", "1"]).count == 2)
  }

  @Test func saysWhyAPatternMatchedNothing() throws {
    let program = try CountedProgram(flags: [])
    let result = try count(["frist", "first@NONE", "--format", "json"], program.words)
    let notes = try CountedCalls(result).notes
    #expect(notes.count == 2)
    #expect(notes[0].hasPrefix("'frist' matched nothing: ") && notes[0].contains("first"))
    #expect(notes[1].hasPrefix("'first@NONE' matched nothing"))
  }

  @Test func alignsTheTable() throws {
    let folder = try TemporaryDirectory()
    let file = folder.url.appending(path: "calls").path
    let program = try CountedProgram(flags: [])
    let result = try count(["first,second", "--output", file], program.words)
    #expect(result.errorOutput == "")
    #expect(
      try String(contentsOfFile: file, encoding: .utf8) == """
        calls  function  library
         3096  first     libcounted.so
           17  second    libcounted.so
         3113  total, 9 processes

        """)
  }
}
