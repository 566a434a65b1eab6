import TestSupport

/// The verdicts of `diff --breaking` on planted changes, beside abidiff's.
@Suite(.needsCommands, .measured) struct BreakingTests {
  /// Two builds of a library, and what they mean for callers.
  struct Pair: Sendable, CustomTestStringConvertible {
    enum Verdict { case breaking, compatible, neutral }
    /// The bits of abidiff's exit status.
    enum Witness: Int32 { case same = 0, changed = 4, incompatible = 12 }

    var testDescription: String
    var old: Build
    var new: Build
    var verdict: Verdict
    var witness: Witness

    struct Build: Sendable, ExpressibleByStringLiteral {
      var source: String
      var versions: String?
      var soname = "lib.so.1"
      var needs: [String] = []
      var flags: [String] = []

      init(
        _ source: String, versions: String? = nil, soname: String = "lib.so.1",
        needs: [String] = [], flags: [String] = []
      ) {
        (self.source, self.versions, self.soname) = (source, versions, soname)
        (self.needs, self.flags) = (needs, flags)
      }
      init(stringLiteral source: String) { self.init(source) }
    }

    init(_ description: String, _ old: Build, _ new: Build, _ verdict: Verdict, _ witness: Witness)
    {
      testDescription = description
      (self.old, self.new, self.verdict, self.witness) = (old, new, verdict, witness)
    }
  }

  private static let one = "int f(void) { return 1; }"
  private static let both = #"""
    int f1(void) { return 1; } int f2(void) { return 2; }
    __asm__(".symver f1,f@V1"); __asm__(".symver f2,f@@V2");
    """#

  /// abidiff does not look at bindings and needed libraries, and takes data of another size for a change that
  /// somebody has to judge.
  static let pairs: [Pair] = [
    Pair(
      "an export is gone", "int f(void) { return 1; } int g(void) { return 2; }", .init(one),
      .breaking, .incompatible),
    Pair(
      "an export is static now", "int f(void) { return 1; } int g(void) { return 2; }",
      "static int g(void) { return 2; } int f(void) { return g(); }", .breaking, .incompatible),
    Pair(
      "an export is weak now", .init(one), "__attribute__((weak)) int f(void) { return 1; }",
      .breaking, .same),
    Pair(
      "the default version is another one", .init(one, versions: "V1 { f; };"),
      .init(one, versions: "V2 { f; };"), .breaking, .incompatible),
    Pair("data is smaller", "int d[4];", "int d[2];", .breaking, .changed),
    Pair("data is larger", "int d[4];", "int d[8];", .breaking, .changed),
    Pair(
      "the soname is another one", .init(one), .init(one, soname: "lib.so.2"), .breaking,
      .incompatible),
    Pair("a function is data now", .init(one), "int f;", .breaking, .incompatible),
    Pair(
      "a library more is needed", .init(one), .init(one, needs: ["libother.so"]), .breaking, .same),
    Pair(
      "an export is new", .init(one), "int f(void) { return 1; } int g(void) { return 2; }",
      .compatible, .changed),
    Pair(
      "a default version beside the old one", .init(one, versions: "V1 { f; };"),
      .init(both, versions: "V1 { f; }; V2 { f; } V1;"), .compatible, .changed),
    Pair(
      "other flags", .init(one), .init(one, flags: ["-Wl,-z,now", "-Wl,-rpath,/opt"]), .neutral,
      .same),
  ]

  private func build(_ build: Pair.Build, _ name: String, in fixture: DependencyFixture) throws
    -> String
  {
    var flags = build.flags + ["-g"]
    if let versions = build.versions {
      flags.append(
        "-Wl,--version-script=" + (try fixture.write("\(name).map", Data(versions.utf8))))
    }
    return try fixture.library(
      name, build.source, needs: build.needs, soname: build.soname, flags: flags)
  }

  private func build(_ pair: Pair, in fixture: DependencyFixture) throws -> (
    old: String, new: String
  ) {
    try fixture.library("libother.so")
    return (try build(pair.old, "old.so", in: fixture), try build(pair.new, "new.so", in: fixture))
  }

  @Test(arguments: pairs)
  func verdicts(pair: Pair) throws {
    let fixture = DependencyFixture()
    let (old, new) = try build(pair, in: fixture)
    let result = try inspect(["diff", "--breaking", old, new])
    let effects = Set(result.output.split(separator: "\n").map { $0.split(separator: " ")[1] })
    #expect(result.status == (pair.verdict == .breaking ? 1 : 0) && result.errorOutput == "")
    #expect(effects.contains("breaking") == (pair.verdict == .breaking))
    #expect(effects.contains("compatible") || pair.verdict != .compatible)
    #expect(effects.subtracting(["neutral"]).isEmpty == (pair.verdict == .neutral))

    // The old file's facts stand for it.
    let facts = try inspect(["diff", "--facts", "--format", "json", old]).standardOutput
    let baseline = try fixture.write("old.json", facts)
    let compared = try inspect(["diff", "--breaking", "--baseline", baseline, new])
    #expect(compared.output == result.output && compared.status == result.status)
    #expect(try inspect(["diff", "--baseline", baseline, old]).status == 0)
  }

  @Test(.enabled(if: !isLeftOut("abidiff"), "abidiff is not installed"), arguments: pairs)
  func verdictsOfAbidiff(pair: Pair) throws {
    let fixture = DependencyFixture()
    let (old, new) = try build(pair, in: fixture)
    #expect(try run("abidiff", [old, new]).status == pair.witness.rawValue)
  }

  /// The loader itself warns of a copy that is too small.
  @Test func aLargerCopyIsTooSmall() throws {
    let fixture = DependencyFixture()
    let library = try fixture.library("libdata.so", "int d[4];")
    let program = try fixture.program(
      "program", "extern int d[]; int use(void) { return d[0]; }", needs: ["libdata.so"],
      flags: ["-no-pie", "-fno-pie", "-Wl,-rpath,\(fixture.path("."))"])
    try fixture.library("libdata.so", "int d[8];")
    #expect(try run(program, []).errorOutput.contains("consider re-linking"))
    #expect(!library.isEmpty)
  }

  /// Facts that are none.
  @Test(arguments: [
    ("", "the file is empty"), ("{", "malformed: the file is no JSON (at offset 0x1)"),
    ("{}", "malformed: schema is not rebind-inspect/1"),
    (#"{"schema":"rebind-inspect/1","files":[]}"#, "malformed: facts are not those of one file"),
    (
      #"{"schema":"rebind-inspect/1","facts":[{"kind":"export","name":"f","value":"FUNC"},{"kind":"x"}]}"#,
      "malformed: facts[1] has no kind"
    ),
    (String(repeating: "[", count: 100_000), "malformed: the file is no JSON"),
  ])
  func noBaseline(text: String, reason: String) throws {
    let fixture = DependencyFixture()
    let file = try fixture.library("file.so", Self.one)
    let baseline = try fixture.write("facts.json", Data(text.utf8))
    let result = try inspect(["diff", "--baseline", baseline, file])
    #expect(result.status == 2 && result.output == "")
    #expect(result.errorOutput.hasPrefix("rebind-inspect: \(baseline): \(reason)"))
  }

  /// A line of `jsonl` is a baseline too, of an object file as well.
  @Test func otherBaselines() throws {
    let fixture = DependencyFixture()
    let old = try fixture.program("old.o", Self.one, flags: ["-r"])
    let new = try fixture.program("new.o", "int g(void) { return 1; }", flags: ["-r"])
    let lines = try inspect(["diff", "--facts", "--format", "jsonl", old]).standardOutput
    let baseline = try fixture.write("facts.jsonl", lines)
    let result = try inspect([
      "diff", "--only", "export", "--breaking", "--baseline", baseline, new,
    ])
    #expect(result.output == "- breaking export f FUNC\n+ compatible export g FUNC\n")
    #expect(result.status == 1)
    for options in [
      ["--facts", "--breaking"], ["--facts", "--only", "export"],
      ["--facts", "--baseline", baseline],
      ["--facts", old], ["--baseline", baseline, old],
    ] {
      #expect(try inspect(["diff", new] + options).status == 64, "\(options)")
    }
  }
}
