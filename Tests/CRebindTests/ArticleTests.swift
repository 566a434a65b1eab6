import TestSupport

/// The programs of the documentation of the C interface build without warnings, and
/// do what the text says.
@Suite(.measured) struct ArticleTests {
  @Test(arguments: Compiler.all)
  func cProgramsRun(compiler: Compiler) throws {
    let outputs = try Articles.of("CRebind").flatMap { try $0.codeBlocks(of: "c") }.map {
      let builder = try FixtureBuilder(compiler)
      let source = builder.directory.url.appending(path: "program.c")
      try Data("\($0)\n".utf8).write(to: source)
      try builder.compile([
        "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-pthread",
        "-I", Places.package.appending(path: "Sources/CRebind/include").path,
        "-o", "program", source.path, Fixture.core(by: compiler),
      ])
      let result = try run(builder.directory.url.appending(path: "program").path)
      #expect(result.succeeded)
      return result.output
    }
    try #require(outputs.count == 3)
    #expect(outputs[0].hasPrefix("Calling real close("))
    #expect(outputs[1] == "65534\n")
    let shown = try Articles.of("CRebind").flatMap {
      try $0.codeBlocks(of: "text").map { "\($0)\n" }
    }
    #expect(shown == [outputs[2]])
  }

  @Test(arguments: Compiler.all)
  func annotationsCompile(compiler: Compiler) throws {
    let blocks = try Articles.of("CRebindAnnotations").flatMap { try $0.codeBlocks(of: "c") }
    try #require(!blocks.isEmpty)
    for block in blocks {
      let builder = try FixtureBuilder(compiler)
      let source = builder.directory.url.appending(path: "annotated.c")
      try Data("\(block)\n".utf8).write(to: source)
      try builder.compile(
        ["-std=c11"] + AnnotationHeaderTests.warnings + AnnotatedFile.includeFlags
          + ["-c", "-o", "annotated.o", source.path])
    }
  }
}
