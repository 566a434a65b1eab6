import TestSupport

/// `symbols --unresolved` says what `ldd -r` says.
@Suite(.needsCommands, .measured) struct UnresolvedTests {
  let fixture = DependencyFixture()

  /// The findings of `ldd -r`: `name@VERSION image`.
  private func witness(_ path: String) throws -> Set<String> {
    let result = try run("ldd", ["-r", path])
    return Set(
      (result.output + result.errorOutput).split(separator: "\n").compactMap { line in
        // undefined symbol: f, version V1 (./liba.so); symbol f, version V1 not defined in file
        // libb.so with link time reference (./liba.so)
        let pattern = /symbol:? ([^\s,]+)(?:,? version (\S+))?.*\((\S+)\)$/
        guard let match = line.firstMatch(of: pattern) else { return nil }
        return "\(match.1)\(match.2.map { "@\($0)" } ?? "") \(match.3)"
      })
  }

  /// The command's findings in the file and its libraries, in the same words, and its exit status.
  private func found(
    _ path: String, _ options: [String] = []
  ) throws -> (symbols: Set<String>, status: Int32) {
    let result = try inspect(["symbols", "--unresolved"] + options + [path])
    var symbols = Set(
      result.output.split(separator: "\n").map { "\($0.split(separator: " ").last ?? "") \(path)" })
    for line in result.errorOutput.split(separator: "\n") {
      guard let match = line.firstMatch(of: /nothing defines what (\S+) imports: (.*)$/) else {
        continue
      }
      for name in match.2.split(separator: " ") { symbols.insert("\(name) \(match.1)") }
    }
    return (symbols, result.status)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// Of a program if it has a `main`.
    var source: String
    var needs: [String] = []
    var flags: [String] = []
    var unresolved: Set<String> = []

    init(
      _ description: String, _ source: String, needs: [String] = [], flags: [String] = [],
      unresolved: Set<String> = []
    ) {
      testDescription = description
      (self.source, self.needs, self.flags, self.unresolved) = (source, needs, flags, unresolved)
    }
  }

  /// Data that the program has a copy of, and that its library has no more.
  @Test func copiedData() throws {
    try fixture.library("libdata.so", "int data = 1;")
    let program = try fixture.program(
      "copies", "extern int data; int use(void) { return data; }", needs: ["libdata.so"],
      flags: ["-no-pie", "-fno-pie", "-Wl,-rpath,$ORIGIN"])
    #expect(try found(program) == ([], 0))
    try fixture.library("libdata.so", "int other = 1;")
    let unresolved = try found(program)
    #expect(unresolved.symbols == ["data \(program)"] && unresolved.status == 1)
    #expect(try witness(program) == unresolved.symbols)
  }

  /// glibc warns that the library has no version, and ends the program at the first symbol of that version.
  @Test func libraryWithoutVersions() throws {
    let map = try fixture.write("map", Data("V1 { v; };".utf8))
    let source = "int v(void) { return 1; }"
    try fixture.library("libv.so", source, flags: ["-Wl,--version-script=\(map)"])
    let program = try fixture.program(
      "program", "int v(void); int use(void) { return v(); }", needs: ["libv.so"],
      flags: ["-Wl,-rpath,$ORIGIN"])
    #expect(try found(program) == ([], 0))
    try fixture.library("libv.so", source)
    let loaded = try run("ldd", ["-r", program])
    #expect((loaded.output + loaded.errorOutput).contains("check_match: Assertion"))
    #expect(try found(program) == (["v@V1 \(program)"], 1))

    // A library that no reference asks for the version may have the symbol.
    try fixture.library("libother.so", source)
    let other = try fixture.program(
      "other", "int v(void); int use(void) { return v(); }", needs: ["libother.so", "libv.so"],
      flags: ["-Wl,-rpath,$ORIGIN"])
    #expect(try found(other) == ([], 0))
    #expect(try run("ldd", ["-r", other]).status == 0)
  }

  static let cases = [
    Case("all is there", "int a(void); int use(void) { return a(); }", needs: ["liba.so"]),
    Case("a function", "int none(void); int use(void) { return none(); }", unresolved: ["none"]),
    Case("data", "extern int none; int *use(void) { return &none; }", unresolved: ["none"]),
    Case(
      "thread-local data", "extern __thread int none; int use(void) { return none; }",
      flags: ["-ftls-model=initial-exec"], unresolved: ["none"]),
    Case(
      "a weak function",
      "__attribute__((weak)) int none(void); int use(void) { return none ? none() : 0; }"),
    Case(
      "an old version", "int v(void); int use(void) { return v(); }", needs: ["libv.so"],
      unresolved: ["v@V1"]),
    Case(
      "a symbol without a relocation", #"__asm__(".globl none"); int use(void) { return 1; }"#),
    Case(
      "a library lacks one", "int b(void); int use(void) { return b(); }", needs: ["libb.so"],
      unresolved: ["of_b"]),
    Case(
      "the file brings what its library lacks",
      "int b(void); int of_b(void) { return 1; } int use(void) { return b(); }",
      needs: ["libb.so"]),
    Case(
      "a program",
      "int a(void), none(void); int use(void) { return a() + none(); } int main(void) { return 0; }",
      needs: ["liba.so"], unresolved: ["none"]),
  ]

  @Test(.notInCheck, arguments: cases)
  func lddSaysTheSame(test: Case) throws {
    let source = "int a(void) { return 1; }"
    try fixture.library("liba.so", source + "int none(void) { return 1; }")
    try fixture.library("libb.so", "int of_b(void); int b(void) { return of_b(); }")
    func versioned(_ version: String) throws {
      let map = try fixture.write("map", Data("\(version) { v; };".utf8))
      try fixture.library(
        "libv.so", "int v(void) { return 1; }", flags: ["-Wl,--version-script=\(map)"])
    }
    try versioned("V1")
    let flags = test.flags + ["-Wl,-rpath,\(fixture.path("."))"]
    let path =
      try test.source.contains("main(")
      ? fixture.program(
        "file", test.source.replacing("int main(void) { return 0; }", with: ""), needs: test.needs,
        flags: flags)
      : fixture.library("file", test.source, needs: test.needs, flags: flags)
    try versioned("V2")
    try fixture.library("liba.so", source)

    let (symbols, status) = try found(path)
    #expect(symbols == (try witness(path)))
    #expect(Set(symbols.map { String($0.split(separator: " ")[0]) }) == test.unresolved)
    // A version that is gone keeps a program from starting too.
    #expect(status == (test.unresolved.isEmpty ? 0 : 1))
    for allowed in [["--allow", "nothing", "--allow", "*"], ["--allow", "/.*/"]] {
      let left = try found(path, allowed)
      #expect(left.symbols == [] && left.status == (test.needs == ["libv.so"] ? 1 : 0))
    }
  }

  /// Weak imports are listed if they are asked for, and fail nothing.
  @Test func weakOnes() throws {
    let path = try fixture.library(
      "file",
      """
      __attribute__((weak)) int may_be(void); int has_to(void);
      int use(void) { return has_to() + (may_be ? may_be() : 0); }
      """)
    #expect(try found(path) == (["has_to \(path)"], 1))
    #expect(try found(path, ["--weak"]) == (["may_be \(path)"], 0))
    #expect(try found(path, ["--name", "other*"]) == ([], 0))
  }

  /// Files of the machine, which need one another.
  @Test(.notInCheck) func installedFiles() throws {
    for path in try [Places.program, inspectPath, InstalledFile.libstdcxx()]
      + InstalledFile.toolchainLibraries()
    {
      #expect(try found(path).symbols == (try witness(path)), "\(path)")
    }
  }

  @Test func wrongUsage() throws {
    for options in [
      ["--allow", "a"], ["--unresolved", "--resolve"], ["--unresolved", "--exports"],
      ["--unresolved", "--allow", "/(/"],
    ] {
      #expect(try inspect(["symbols"] + options + [Places.program]).status == 64)
    }
    #expect(try inspect(["symbols", "--unresolved", "--pid", "1"]).status == 64)
  }
}
