import TestSupport

/// Scripts/fixtures reads tables of fixtures as Tests/Fixtures/Recipes says.
@Suite(.measured, .notInCheck) struct RecipeTests {
  @Test func whatIsTakenOverIsFilledIn() throws {
    let fixtures = try read(
      """
      one: the first
        sources    calls.c
        flags      -DA=@ -O1
        library    lib/a.so = plugin.c @ -la
        linked     b.so = plugin.c
        arguments  %/b.so @
        prints     one
        prints     * two
        variant    x = X Y
        native     y =
        attributes serial
        compilers  gcc

      # Its own variants, and another library.
      two: the second
        like       one
        linked     b.so = later-plugin.c @core
        variant    z = 1

      three: nothing has a place for variants
        like       two
        flags      -O2
        library    lib/a.so = plugin.c
        arguments  1
        prints     three
      """)
    #expect(fixtures.map(\.name) == ["one, x", "one, y", "two, z", "three"])
    #expect(
      fixtures.map(\.flags) == [
        ["-DA=X", "Y", "-O1"], ["-DA=", "-O1"], ["-DA=1", "-O1"], ["-O2"],
      ])
    let libraries = fixtures.map { $0.libraries.map { names($0) } }
    #expect(
      libraries == [
        ["lib/a.so plugin.c X Y -la", "b.so plugin.c"], ["lib/a.so plugin.c -la", "b.so plugin.c"],
        ["lib/a.so plugin.c 1 -la", "b.so later-plugin.c @core"],
        ["lib/a.so plugin.c", "b.so later-plugin.c @core"],
      ])
    #expect(
      fixtures.map(\.attributes) == [["serial"], ["serial", "no-cross"], ["serial"], ["serial"]])
    #expect(fixtures.map(\.prints) == Array(repeating: ["one", "* two"], count: 3) + [["three"]])
    #expect(fixtures.last?.shows == "nothing has a place for variants")
    #expect(fixtures.allSatisfy { names($0.sources) == "calls.c" && $0.compiler == "gcc" })
  }

  @Test func sourcesAndArgumentsMayBeLeftOut() throws {
    let fixtures = try read(
      """
      calls, one: the source is calls.c, and the libraries that it opens are its arguments
        compilers  gcc
        library    libown.so = plugin.c
        library    deep/one.so other.so = plugin.c
        linked     two.so = plugin.c
        prints     one

      two: the rounds come first
        like       calls, one
        rounds     300 20

      three: the rounds stand where they are to
        like       two
        arguments  x #

      four: as it says
        like       three
        quick-arguments y

      five: own arguments, many or few
        like       four
        arguments  z
      """)
    #expect(fixtures.allSatisfy { names($0.sources) == "calls.c" })
    let libraries = ["%/deep/one.so", "%/other.so"]
    #expect(
      fixtures.map(\.arguments)
        == [libraries, ["300"] + libraries, ["x", "300"], ["x", "300"], ["z"]])
    #expect(
      fixtures.map(\.quickArguments)
        == [libraries, ["20"] + libraries, ["x", "20"], ["y"], ["z"]])
  }

  /// A file that is new in a target needs no line in the table.
  @Test func targetsAreAllOfTheirFiles() throws {
    let fixtures = try read(
      """
      one: of two targets
        sources    calls.c
        targets    CRebindReach CRebindCounting
        flags      -DA=@
        prints     one
        variant    x = X
        compilers  clang

      two: the same targets
        like       one
        sources    plugin.c
        flags      -O1

      three: its own target
        like       one
        targets    CRebindReach
      """)
    let reach = try sources(of: "CRebindReach"), counting = try sources(of: "CRebindCounting")
    #expect(reach.contains("thread.c") && counting.contains("references-aarch64.S"))
    let expected = [
      ["calls.c"] + reach + counting, ["plugin.c"] + reach + counting, ["calls.c"] + reach,
    ]
    #expect(fixtures.map { names($0.sources) } == expected.map { $0.joined(separator: " ") })
    func headers(_ target: String) -> String {
      "-I" + Places.package.appending(path: "Sources/\(target)/include").path
    }
    let both = [headers("CRebindReach"), headers("CRebindCounting")]
    #expect(fixtures.map(\.flags) == [["-DA=X"] + both, ["-O1"] + both, ["-DA=X", both[0]]])
  }

  /// The files that SwiftPM compiles for the target.
  private func sources(of target: String) throws -> [String] {
    let folder = Places.package.appending(path: "Sources/\(target)")
    return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { ["c", "S"].contains($0.pathExtension) }.map(\.lastPathComponent).sorted()
  }

  /// Words, of paths the last part.
  private func names(_ words: [String]) -> String {
    words.map { $0.hasPrefix("/") ? URL(filePath: $0).lastPathComponent : $0 }.joined(
      separator: " ")
  }

  static let mistakes: [(table: String, line: Int, reason: String)] = [
    ("", 1, "no recipe"),
    ("  sources calls.c", 1, "a line of no recipe"),
    (": shows", 1, "a recipe begins with its name and a colon"),
    ("calls", 1, "a recipe begins with its name and a colon"),
    ("calls:", 1, "'calls' does not say what it shows"),
    ("a: b\n  sources calls.c\n  prints x\n\na: c", 5, "'a' is there twice"),
    (
      "a: b\n  sources calls.c\n  prints x\n  flags @\n  variant c\na, c: b\n  sources calls.c\n"
        + "  prints x", 6, "'a, c' is there twice"
    ),
    ("a: b\n  prints x", 1, "'a' has no sources"),
    ("a: b\n  sources calls.c\n# end", 1, "'a' prints nothing"),
    ("a: b\n  source calls.c", 2, "unknown keyword 'source'"),
    ("a: b\n\n  sources calls.c gone.c", 3, "no source 'gone.c'"),
    ("a: b\n  targets CRebindReach CRebindGone", 2, "no C sources in 'CRebindGone'"),
    ("a: b\n  targets CRebind", 2, "no C sources in 'CRebind'"),
    ("a: b\n  targets CRebind/patching", 2, "no C sources in 'CRebind/patching'"),
    ("a: b\n  targets CRebindReach/", 2, "no C sources in 'CRebindReach/'"),
    ("a: b\n  targets", 2, "'targets' says nothing"),
    ("a: b\n  targets CRebindReach\n  targets CRebindReach", 3, "'targets' is there twice"),
    ("a: b\n  library x.so = gone.c", 2, "no source 'gone.c'"),
    ("a: b\n  library x.so plugin.c", 2, "no source ''"),
    ("a: b\n  library = plugin.c", 2, "'library' has no name"),
    ("a: b\n  library x.so = plugin.c\n  linked x.so = plugin.c", 3, "'x.so' is there twice"),
    ("a: b\n  variant x\n  native x = -O1", 3, "'x' is there twice"),
    ("a: b\n  native", 2, "'native' has no name"),
    ("a: b\n  sources calls.c\n  prints x\n  variant x", 1, "'a' has variants, and no @ for them"),
    (
      "a: b\n  flags @core\n  sources calls.c\n  prints x\n  variant x", 1,
      "'a' has variants, and no @ for them"
    ),
    ("a: b\n  flags -O1\n  flags -O2", 3, "'flags' is there twice"),
    ("a: b\n  flags", 2, "'flags' says nothing"),
    ("a: b\n  attributes serial slow", 2, "unknown attribute 'slow'"),
    ("a: b\n  machines !musl* !arm", 2, "'!' comes before the first pattern only"),
    ("a: b\n  compilers gcc tcc", 2, "unknown compiler 'tcc'"),
    ("a: b\n  compilers gcc+", 2, "unknown compiler 'gcc+'"),
    ("a: b\n  environment A=1 =2", 2, "'=2' is no variable"),
    ("a: b\n  like a", 2, "no recipe 'a' before it"),
    ("a: b\n  sources calls.c\n  prints x\nc: d\n  flags -O1\n  like a", 6, "'like' comes first"),
  ]

  @Test func theLineOfAMistakeIsNamed() throws {
    let script = """
      import sys
      sys.path.insert(0, sys.argv[1])
      import recipes
      for table in sys.argv[2:]:
          try:
              list(recipes.read(table.splitlines(), "Recipes"))
              print("it was read")
          except recipes.Mistake as mistake:
              print(mistake)
      """
    let tables = Self.mistakes.map(\.table)
    let result = try run(Places.python, ["-B", "-c", script, Places.fixtures.path] + tables)
    let expected = Self.mistakes.map { "Recipes:\($0.line): \($0.reason)" }
    #expect(
      result.output.split(separator: "\n").map(String.init) == expected, "\(result.errorOutput)")
    #expect(throws: RecipeError.self) { try read(tables[1]) }
  }

  @Test func machinesAreTakenOrLeftOut() throws {
    func isHere(_ machines: String) throws -> Bool {
      try !read("a: b\n  sources calls.c\n  prints x\n  machines \(machines)").isEmpty
    }
    #if arch(x86_64)
    let (this, other) = ("x86-64", "aarch64")
    #else
    let (this, other) = ("aarch64", "x86-64")
    #endif
    #expect(try isHere("*"))
    #expect(try isHere("\(other) \(this.prefix(2))*"))
    #expect(try !isHere("!\(this)* musl"))
    #expect(try !isHere("!musl \(this)"))
    #expect(try isHere("!musl* arm"))
    #expect(try !isHere("\(other) arm"))
  }

  /// A change is seen, and a source that does not compile leaves no program, and its errors.
  @Test func aFixtureIsBuiltAgainWhereItHasChanged() throws {
    let script = """
      import os, sys
      sys.path.insert(0, sys.argv[1])
      import build, recipes
      folder, out = sys.argv[2:]
      recipes.folders = lambda: [folder]
      build.folders, build.core_sources = recipes.folders, lambda: []
      recipes.find = build.find = lambda name: os.path.join(folder, name)
      def write(name, text):
          with open(os.path.join(folder, name), "w") as file:
              file.write(text)
          os.utime(os.path.join(folder, name), (write.time, write.time))
      write.time = 2_000_000_000
      def make(flag="-DFLAG=1"):
          write.time += 10
          table = ["a: b", "  attributes no-core", "  sources a.c", f"  flags {flag}",
                   "  linked libb.so = b.c", "  prints x"]
          test = recipes.Test(list(recipes.read(table, "table"))[0], "a", [], False)
          compiler = build.Compiler("gcc", ["gcc"], [])
          built = build.Folder(out, {"gcc": compiler})
          program = built.add(test, compiler)
          status = built.make(quiet=True)
          text = os.popen(program).read() if os.path.exists(program) else "not there"
          print(status == 0, text.strip(), sum(name.endswith(".log") for _, _, names in os.walk(out) for name in names))
      write("a.h", "#define VALUE 1\\n")
      write("a.c", '#include <stdio.h>\\n#include "a.h"\\nint b(void);\\nint main(void) { printf("%d %d %d", VALUE, FLAG, b()); }\\n')
      write("b.c", "int b(void) { return 1; }\\n")
      make()
      write("a.h", "#define VALUE 2\\n")
      make()
      make("-DFLAG=2")
      write("b.c", "int b(void) { return 2; }\\n")
      make("-DFLAG=2")
      write("a.c", "int main(void) { mistake }\\n")
      make("-DFLAG=2")
      """
    let folder = try TemporaryDirectory()
    let out = try TemporaryDirectory()
    let result = try run(
      Places.python, ["-B", "-c", script, Places.fixtures.path, folder.url.path, out.url.path])
    #expect(
      result.output == """
        True 1 1 1 0
        True 2 1 1 0
        True 2 2 1 0
        True 2 2 2 0
        False not there 1

        """, "\(result.errorOutput)")
  }

  private func read(_ table: String) throws -> [Fixture] {
    let folder = try TemporaryDirectory()
    let file = folder.url.appending(path: "Recipes")
    try Data("\(table)\n".utf8).write(to: file)
    return try Fixture.read(file.path)
  }
}
