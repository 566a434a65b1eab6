import TestSupport

/// Compilers accept `RebindAnnotations.h`, and make records of it.
@Suite(.measured) struct AnnotationHeaderTests {
  /// A compiler, and what it takes a source for.
  struct Language: CustomTestStringConvertible {
    var compiler: Compiler
    var standard: String

    var isCPlusPlus: Bool { standard.contains("++") }
    var flags: [String] { ["-x", isCPlusPlus ? "c++" : "c", "-std=\(standard)"] }
    var testDescription: String { "\(compiler) -std=\(standard)" }

    static let all = Compiler.all.flatMap { compiler in
      ["c11", "gnu11", "c17", "gnu2x", "c++11", "c++17", "gnu++20"].map {
        Language(compiler: compiler, standard: $0)
      }
    }
    static let each = all.filter { ["c11", "c++11"].contains($0.standard) }
  }

  /// More than the users' own `-Wall -Wextra -Wpedantic`.
  static let warnings = [
    "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wshadow", "-Wconversion", "-Wsign-conversion",
    "-Wundef", "-Wcast-align", "-Wcast-qual", "-Wmissing-declarations", "-Wredundant-decls",
  ]

  @Test(.notInCheck, arguments: Language.all)
  func compilesWithoutWarnings(language: Language) throws {
    let builder = try FixtureBuilder(language.compiler)
    let more =
      language.isCPlusPlus
      ? ["-Wold-style-cast", "-Wzero-as-null-pointer-constant"]
      : ["-Wmissing-prototypes", "-Wstrict-prototypes"]
    for optimisation in ["-O0", "-O1", "-O2"] {
      try builder.compile(
        language.flags + Self.warnings + more + [optimisation] + FixtureBuilder.includeFlags
          + ["-c", Places.fixture("annotated.c").path])
    }
  }

  /// The header alone changes nothing: no record, no note, and nothing that runs.
  @Test(arguments: Language.each)
  func aFileThatDeclaresNothingHasNoSections(language: Language) throws {
    let names: Set = ["rebind_annotations", ".note.rebind", ".init_array", ".fini_array"]
    #expect(try sections(of: "REBIND_ANNOTATE(modules, \"key\")\n", language).isSuperset(of: names))
    #expect(try sections(of: "", language).isDisjoint(with: names))
  }

  /// The names of the sections that a file with these declarations has.
  private func sections(of declarations: String, _ language: Language) throws -> Set<String> {
    let builder = try FixtureBuilder(language.compiler)
    try source(declarations, in: builder)
    try builder.compile(
      language.flags + Self.warnings + FixtureBuilder.includeFlags + ["-c", "source.c"])
    let listing = try run(
      "readelf", ["--sections", "--wide", "source.o"], currentDirectory: builder.directory.url)
    return Set(listing.output.split(whereSeparator: \.isWhitespace).map(String.init))
  }

  // MARK: - Mistakes

  static let mistakes = [
    ("REBIND_ANNOTATE(\"modules\", \"k\")", "group must be written without quotes"),
    ("REBIND_ANNOTATE(, \"k\")", "group must not be empty"),
    ("REBIND_ANNOTATE(modules, \"\")", "key must not be empty"),
    ("REBIND_ANNOTATE(modules, \"a\\0b\")", "key must not have a zero byte"),
    ("REBIND_ANNOTATE(modules, pointer)", "key must be a string literal"),
    ("REBIND_ANNOTATE(modules, array)", "key must be a string literal"),
    ("REBIND_ANNOTATE_VALUE(modules, \"k\", pointer, 0)", "value must be a string literal"),
    ("REBIND_ANNOTATE_VALUE(modules, \"k\", \"\\0\", 0)", "value must not have a zero byte"),
    ("REBIND_ANNOTATE_VALUE(modules, \"k\", \"\", 2147483648)", "priority must fit into 32 bits"),
    ("REBIND_ANNOTATE_VALUE(modules, \"k\", \"\", 4294967295u)", "priority must fit into 32 bits"),
    ("REBIND_INDEX_SECTION(.data.mine)", "rebind_section_"),
  ]

  @Test(arguments: mistakes, Language.each)
  func mistakesAreErrors(mistake: (declaration: String, message: String), language: Language) throws
  {
    let builder = try FixtureBuilder(language.compiler)
    try source(
      """
      extern const char *pointer;
      const char *pointer = "pointer";
      extern const char array[];
      const char array[] = "array";
      \(mistake.declaration)

      """, in: builder)
    let failure = #expect(throws: CompilationFailure.self) {
      try builder.compile(
        language.flags + Self.warnings + FixtureBuilder.includeFlags + ["-c", "source.c"])
    }
    let errors = (failure?.output ?? "").split(separator: "\n").filter { $0.contains("error: ") }
    #expect(errors.contains { $0.contains(mistake.message) }, "\(failure?.output ?? "")")
  }

  /// Writes source.c, which includes the header.
  private func source(_ text: String, in builder: FixtureBuilder) throws {
    try Data("#include <RebindAnnotations.h>\n\(text)".utf8)
      .write(to: builder.directory.url.appending(path: "source.c"))
  }
}
