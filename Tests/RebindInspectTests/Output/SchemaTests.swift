import TestSupport

/// The output is what Documentation/rebind-inspect.schema.json says.
@Suite(
  .needsCommands, .measured, .notInCheck,
  .enabled(if: !SchemaValidator.isTooOld, "needs jsonschema 4.0 or later"))
struct SchemaTests {
  @Test func symbols() throws {
    let fixture = try BuiltFixture()
    let files = [fixture.path, "/nowhere", fixture.directory.url.path, try InstalledFile.libc.path]
    var validator = try SchemaValidator()
    for options in [[], ["--demangle"], ["--imports"]] {
      #expect(try validator.add(["symbols"] + options + files) == 2)
    }
    try #require(validator.failures() == "")
  }

  @Test func slotsAnnotationsAndSections() throws {
    let built = try AnnotatedFile(LinkMode(.bfd, .shared), flags: ["-DWITH_UNDEFINED"])
    let object = try AnnotatedFile(object: .gcc)
    var broken = try built.bytes()
    for index in broken.indices where broken[index...].prefix(4).elementsEqual("RBA1".utf8) {
      broken[index + 3] += 1
    }
    let paths = [
      built.path, object.path, try built.stripped(), try built.write(broken, as: "broken"),
      "/nowhere",
    ]
    var validator = try SchemaValidator()
    for command in [
      ["slots"], ["annotations"], ["annotations", "--expect", "7"],
      ["section", "names", "--as", "pointers"], ["section", ".comment", "--as", "strings"],
      ["section", ".text"],
    ] {
      #expect(try validator.add(command + paths) == 2)
    }
    try #require(validator.failures() == "")
  }

  @Test func tables() throws {
    let inputs = GoldenTests.inputs.map { GoldenTests.folder.appending(path: $0).path }
    var validator = try SchemaValidator()
    for subcommand in ["sections", "segments", "dynamic", "notes", "relocations", "hardening"] {
      #expect(
        try validator.add([subcommand] + inputs + ["/nowhere", InstalledFile.libc.path]) == 2)
    }
    try #require(validator.failures() == "")
  }

  @Test func tree() throws {
    let fixture = DependencyFixture()
    try fixture.library("liba.so")
    let program = try fixture.program("program", needs: ["liba.so"])
    try fixture.write("broken/liba.so", Data("broken".utf8))
    var validator = try SchemaValidator()
    let status = try validator.add([
      "tree", "--library-path", fixture.path("broken"), "--preload", fixture.path("liba.so"),
      program, "/nowhere", try InstalledFile.clang.path, fixture.path("broken/liba.so"),
    ])
    #expect(status == 2)
    try #require(validator.failures() == "")
  }

  @Test func installedPrograms() throws {
    var validator = try SchemaValidator()
    for command in [
      ["symbols", "--resolve", Places.program, "/nowhere"],
      ["why", "open", "--in", Places.program],
      ["why", "memcpy@NONE", "--library", "none.so", "--in", Places.program, "/nowhere"],
      ["diff", Places.program, inspectPath], ["diff", Places.program, Places.program],
      ["diff", Places.program, "/nowhere"],
    ] {
      _ = try validator.add(command)
    }
    try #require(validator.failures() == "")
  }

  @Test(arguments: ["nothing", "rebound", "code"])
  func processes(what: String) throws {
    let program = try LookedAtProgram()
    let process = try program.started(what, preloading: what == "code" ? program.hook() : nil)
    var validator = try SchemaValidator()
    for command in [
      ["slots"], ["images"], ["audit"], ["annotations"], ["why", "open"],
      ["hardening"], ["why", "none", "--in", "none.so"], ["diff", program.url.path],
      ["diff", Places.program],
    ] {
      let status = try validator.add(command + ["--pid", "\(process.id)"])
      if command == ["audit"] { #expect((status == 1) == (what != "nothing")) }
    }
    try #require(validator.failures() == "")
  }

  /// Each that is declared, of files: nobody has to remember a new one.
  @Test func everySubcommandOfFiles() throws {
    let inputs = GoldenTests.inputs.map { GoldenTests.folder.appending(path: $0).path }
    var validator = try SchemaValidator()
    for command in Subcommands.ofFiles + Subcommands.ofSearches {
      _ = try validator.add(command + inputs + [Places.program, "/nowhere"])
    }
    try #require(validator.failures() == "")
  }

  @Test func everySubcommandOfProcesses() throws {
    let program = try LookedAtProgram()
    let process = try program.started("rebound", preloading: program.hook())
    var validator = try SchemaValidator()
    for command in Subcommands.ofProcesses {
      _ = try validator.add(command + ["--pid", "\(process.id)"])
    }
    try #require(validator.failures() == "")
  }

  /// The check itself can fail.
  @Test(arguments: [
    #"{"schema":"rebind-inspect/2","files":[]}"#,
    #"{"schema":"rebind-inspect/1","files":[{"path":"a"}]}"#,
    #"{"schema":"rebind-inspect/1","path":"a","error":{"code":"Not ELF","message":"","field":null,"offset":null}}"#,
  ])
  func theSchemaRefuses(_ text: String) throws {
    var validator = try SchemaValidator()
    try validator.add(Data(text.utf8))
    #expect(try validator.failures().hasPrefix("invalid: $"))
  }
}
