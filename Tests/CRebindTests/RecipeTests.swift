import Foundation
import TestSupport
import Testing

/// The table of fixtures, which the Swift tests and Scripts/test-cross read.
@Suite(.measured) struct RecipeTests {
  @Test func bothReadersAgree() throws {
    let listing = try list()
    #expect(listing.errorOutput == "")
    let lines = listing.output.split(separator: "\n").map(String.init)
    #expect(try lines == Recipe.all().map(\.description))
  }

  @Test func whatIsTakenOverIsFilledIn() throws {
    let recipes = try read(
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
    #expect(
      recipes.map(\.description) == [
        "one, x|*|serial|gcc clang|calls.c|-DA=X Y -O1|library lib/a.so plugin.c X Y -la "
          + "linked b.so plugin.c||%/b.so X Y|||one|* two",
        "one, y|*|serial no-cross|gcc clang|calls.c|-DA= -O1|library lib/a.so plugin.c -la "
          + "linked b.so plugin.c||%/b.so|||one|* two",
        "two, z|*|serial|gcc clang|calls.c|-DA=1 -O1|library lib/a.so plugin.c 1 -la "
          + "linked b.so later-plugin.c @core||%/b.so 1|||one|* two",
        "three|*|serial|gcc clang|calls.c|-O2|library lib/a.so plugin.c "
          + "linked b.so later-plugin.c @core||1|||three",
      ])
    #expect(recipes.map(\.shows).last == "nothing has a place for variants")
  }

  /// A file that is new in a target needs no line in the table.
  @Test func targetsAreAllOfTheirFiles() throws {
    let table = """
      one: of two targets
        sources    calls.c
        targets    CRebindReach CRebindCounting
        flags      -DA=@
        prints     one
        variant    x = X

      two: the same targets
        like       one
        sources    plugin.c
        flags      -O1

      three: its own target
        like       one
        targets    CRebindReach
      """
    let reach = try sources(of: "CRebindReach"), counting = try sources(of: "CRebindCounting")
    #expect(reach.contains("/thread.c") && counting.contains("/references-aarch64.S"))
    func headers(_ target: String) -> String { "-I ~/../../Sources/\(target)/include" }
    let both = "\(headers("CRebindReach")) \(headers("CRebindCounting"))"
    let lines = [
      "one, x|*||gcc clang|calls.c \(reach) \(counting)|-DA=X \(both)||||||one",
      "two|*||gcc clang|plugin.c \(reach) \(counting)|-O1 \(both)||||||one",
      "three, x|*||gcc clang|calls.c \(reach)|-DA=X \(headers("CRebindReach"))||||||one",
    ]
    #expect(try read(table).map(\.description) == lines)
    let folder = try TemporaryDirectory()
    let listing = try list(write(table, in: folder).path)
    #expect(listing.output == lines.map { "\($0)\n" }.joined())
  }

  /// The files that SwiftPM compiles for the target.
  private func sources(of target: String) throws -> String {
    let folder = Places.package.appending(path: "Sources/\(target)")
    return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { ["c", "S"].contains($0.pathExtension) }
      .map { "../../Sources/\(target)/\($0.lastPathComponent)" }
      .sorted().joined(separator: " ")
  }

  static let mistakes = [
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
    ("a: b\n  targets CRebind/storing", 2, "no C sources in 'CRebind/storing'"),
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
    ("a: b\n  compilers gcc tcc", 2, "unknown compiler 'tcc'"),
    ("a: b\n  compilers gcc+", 2, "unknown compiler 'gcc+'"),
    ("a: b\n  environment A=1 =2", 2, "'=2' is no variable"),
    ("a: b\n  like a", 2, "no recipe 'a' before it"),
    ("a: b\n  sources calls.c\n  prints x\nc: d\n  flags -O1\n  like a", 6, "'like' comes first"),
    ("a: b\n  prints x|y", 2, "a bar separates what is read"),
  ]

  @Test(arguments: mistakes)
  func bothReadersNameTheLineOfAMistake(mistake: (table: String, line: Int, reason: String)) throws
  {
    let error = #expect(throws: RecipeError.self) { try read(mistake.table) }
    #expect(error?.description == "Recipes:\(mistake.line): \(mistake.reason)")
    let folder = try TemporaryDirectory()
    let listing = try list(write(mistake.table, in: folder).path)
    #expect(!listing.succeeded)
    #expect(listing.output == "")
    #expect(listing.errorOutput == "Recipes:\(mistake.line): \(mistake.reason)\n")
  }

  @Test func machinesAreTakenOrLeftOut() throws {
    func recipe(_ machines: String) throws -> Recipe {
      try read("a: b\n  sources calls.c\n  prints x\n  machines \(machines)")[0]
    }
    #expect(try recipe("*").isFor(machine: "musl"))
    #expect(try !recipe("!musl* arm").isFor(machine: "musl-2"))
    #expect(try !recipe("!musl* arm").isFor(machine: "arm"))
    #expect(try recipe("!musl* arm").isFor(machine: "x86-64"))
    #expect(try recipe("x86-64 arm").isFor(machine: "arm"))
    #expect(try !recipe("x86-64 arm").isFor(machine: "musl"))
  }

  // MARK: - Both readers

  private func read(_ table: String) throws -> [Recipe] {
    let folder = try TemporaryDirectory()
    return try RecipeReader.recipes(in: write(table, in: folder))
  }

  private func write(_ table: String, in folder: TemporaryDirectory) throws -> URL {
    let file = folder.url.appending(path: "Recipes")
    try Data("\(table)\n".utf8).write(to: file)
    return file
  }

  /// The tests that Scripts/test-cross reads from a table; from the fixtures' own if none is given.
  private func list(_ table: String...) throws -> ProcessResult {
    try run(
      Places.package.appending(path: "Scripts/test-cross").path, ["--list"] + table)
  }
}
