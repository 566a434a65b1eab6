import TestSupport

/// The comparison of `make test-machine`: each rule explains an actual difference, and hides no
/// other difference.
@Suite(.needsCommands, .measured, .notInCheck) struct WitnessTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var rule: String
    var readers: [String]
    /// Makes the file in the builder's folder, and returns its path.
    var file: @Sendable (WitnessFiles) throws -> String
    var testDescription: String { rule }

    init(
      _ rule: String, _ readers: String...,
      file: @escaping @Sendable (WitnessFiles) throws -> String
    ) {
      (self.rule, self.readers, self.file) = (rule, readers, file)
    }
  }

  static let cases = [
    Case("unique", "readelf", "eu-readelf") {
      try $0.assembled(".globl u\n.type u, %gnu_unique_object\n.data\nu: .quad 1\n.size u, 8\n")
    },
    Case("ifunc", "eu-readelf") {
      try $0.assembled(".globl f\n.type f, %gnu_indirect_function\nf: .quad 1\n.size f, 8\n")
    },
    Case("retain", "readelf") { try $0.assembled(".section kept, \"aR\"\n.quad 1\n") },
    Case("own-flags", "readelf") { try $0.compiled(for: "mips64el-linux-gnuabi64") },
    Case("section-symbol", "eu-readelf") {
      let fixture = try BuiltFixture()
      var bytes = try fixture.bytes()
      // st_name, STT_SECTION in st_info, and st_shndx of a symbol that no relocation is of.
      let index = try #require(Report([fixture.path]).files.first?.symbol("_ZN3foo3barEi")).index
      let symbol = try fixture.offset(ofSection: "DYNSYM") + 24 * index
      bytes.replaceSubrange(symbol..<symbol + 8, with: [0, 0, 0, 0, 3, 0, 1, 0])
      return try $0.copy(of: fixture.write(bytes, as: "section-symbol.so"))
    },
    Case("copied", "eu-readelf") {
      try $0.built(
        "#include <netinet/in.h>\nint main(void) { return in6addr_any.s6_addr[0]; }",
        flags: ["-no-pie", "-fno-pie"])
    },
    Case("names", "readelf") {
      let fixture = try BuiltFixture(target: "i386-linux-gnu")
      return try $0.copy(of: fixture.path)
    },
    Case("three", "readelf") { try $0.compiled(for: "mips64el-linux-gnuabi64") },
    Case("mips64", "eu-readelf") { try $0.compiled(for: "mips64el-linux-gnuabi64") },
    Case("unknown-type", "eu-readelf") { try $0.compiled(for: "mips-linux-gnu") },
    Case("relr", "eu-readelf") { _ in GoldenTests.folder.appending(path: "x86-64.so").path },
    Case("versions", "eu-readelf") { _ in GoldenTests.folder.appending(path: "x86-64.so").path },
    Case("newer-features", "readelf") { _ in
      GoldenTests.folder.appending(path: "aarch64.so").path
    },
    Case("headerless", "readelf", "eu-readelf", "nm") { _ in
      GoldenTests.folder.appending(path: "headerless.so").path
    },
    Case("attributes", "readelf", "eu-readelf") {
      try $0.assembled(
        ".section .gnu.build.attributes, \"\", %note\n"
          + ".long 8, 0, 0x100\n.asciz \"GA$\\0013p1\"\n")
    },
  ]

  @Test(arguments: cases)
  func ruleExplainsAFile(_ rule: Case) throws {
    let files = try WitnessFiles()
    let path = try rule.file(files)
    for reader in rule.readers where reader != "nm" {
      let explained = try Witness.compare(with: reader, [path])
      #expect(explained.succeeded, "\(explained.output)")
      #expect(explained.output.contains(" times | \(rule.rule): "), "\(explained.output)")
      let bare = try Witness.compare(with: reader, ["--no-rules", path])
      #expect(bare.status == 1 && bare.output.hasPrefix("\(path): "), "\(bare.output)")
    }
  }

  /// The table that a person reads: each rule has a file here.
  @Test func everyRuleHasAFile() throws {
    let script = Places.package.appending(path: "Tests/Witnesses/rules.py").path
    let lines = try run(Places.python, ["-B", script]).output.split(separator: "\n")
    let names = lines.map { $0.split(separator: "|")[2].split(separator: ":")[0].dropFirst() }
    #expect(names.map(String.init).sorted() == Self.cases.map(\.rule).sorted())
    for rule in Self.cases {
      let line = try #require(lines.first { $0.contains(" | \(rule.rule): ") })
      #expect(line.hasPrefix(rule.readers.joined(separator: ", ") + " | "))
    }
  }

  /// A rule is about what it says alone: the same symbol where OS/ABI is GNU's has no difference, and
  /// another binding is one.
  @Test func aRuleHidesNothingElse() throws {
    let files = try WitnessFiles()
    let source = ".globl u\n.type u, %gnu_unique_object\n.data\nu: .quad 1\n.size u, 8\n"
    let unchanged = try files.assembled(source, isSystemV: false)
    #expect(try !Witness.compare(with: "readelf", [unchanged]).output.contains("unique"))
    let path = try files.assembled(source)
    let program = try files.program(
      #"exec "$INSPECT" "$@" | sed 's/"binding":"UNIQUE"/"binding":"WEAK"/'"#)
    let result = try Witness.compare(with: "readelf", [path], program: program)
    #expect(result.status == 1)
    #expect(
      result.output.hasPrefix("\(path): symbols.binding: ours 'WEAK', readelf's '<OS>:10' of "))
  }

  /// The whole comparison, over a folder; among the files is one without section headers.
  @Test func aFolder() throws {
    let files = try WitnessFiles()
    let folder = GoldenTests.folder.path
    let result = try files.machine([folder])
    #expect(result.succeeded, "\(result.output)\(result.errorOutput)")
    #expect(result.output.contains(" ELF files below \(folder), "))
    #expect(!result.output.contains("\n0 rows are equal\n"))
    for rule in Self.cases { #expect(result.output.contains(" times | \(rule.rule): ")) }

    for (change, difference) in [
      (#"s/"type":"FUNC"/"type":"OBJECT"/"#, "symbols.type: ours 'OBJECT', readelf's 'FUNC'"),
      (#"s/"symbol":"imported"/"symbol":"exported"/"#, "slots.symbol: ours 'exported', readelf's"),
      (#"s/"symbolSource"/"error":{"message":"broken"},"symbolSource"/"#, "ours 'broken'"),
    ] {
      let program = try files.program("exec \"$INSPECT\" \"$@\" | sed '\(change)'")
      let broken = try files.machine([folder], program: program)
      #expect(broken.status == 1 && broken.output.contains(difference), "\(broken.output)")
    }
  }

  /// `tree` and the loader, `who-imports` and nm.
  @Test func linkedFiles() throws {
    let files = try WitnessFiles()
    let source = "#include <stdlib.h>\nint main(void) { return malloc(1) == 0; }"
    let program = try files.built(source, flags: ["-Wl,-rpath,/nowhere"])
    let folder = URL(filePath: program).deletingLastPathComponent().path
    #expect(try files.machine([folder]).succeeded)
    for (change, difference) in [
      (
        #"s/"name":"libc.so.6","path":/"name":"libother.so","path":/"#,
        "tree.name: ours 'libother.so'"
      ),
      (#"s/"imports":\[.*/"imports":[]}/"#, "imports.rows: ours 0, nm's 1"),
    ] {
      let stand = try files.program("exec \"$INSPECT\" \"$@\" | sed '\(change)'")
      let broken = try files.machine([folder], program: stand)
      #expect(broken.status == 1 && broken.output.contains(difference), "\(broken.output)")
    }
  }
}

/// Files to compare, in a folder of their own.
struct WitnessFiles: Sendable {
  private let builder: FixtureBuilder
  private let scratch: TemporaryDirectory
  private func path(_ name: String) -> String { builder.directory.url.appending(path: name).path }

  init() throws {
    (builder, scratch) = (try FixtureBuilder(.gcc), try TemporaryDirectory())
  }

  /// A library from lines for the assembler, with the OS/ABI that lld leaves.
  func assembled(_ source: String, isSystemV: Bool = true) throws -> String {
    try write("source.s", source)
    try builder.compile(["-shared", "-nostdlib", "source.s", "-o", "library.so"])
    if isSystemV {
      var bytes = try Data(contentsOf: URL(filePath: path("library.so")))
      // e_ident[EI_OSABI]
      bytes[7] = 0
      try bytes.write(to: URL(filePath: path("library.so")))
    }
    return path("library.so")
  }

  /// A program in C.
  func built(_ source: String, flags: [String]) throws -> String {
    try write("source.c", source + "\n")
    try builder.compile(flags + ["source.c", "-o", "program"])
    return path("program")
  }

  /// An object file for another machine.
  func compiled(for target: String) throws -> String {
    let clang = try FixtureBuilder(.clang)
    let name = try clang.compile("inspect-symbols", for: target)
    return try copy(of: clang.directory.url.appending(path: name).path)
  }

  /// The same file, which stays as long as these do.
  func copy(of file: String) throws -> String {
    let name = URL(filePath: file).lastPathComponent
    try Data(contentsOf: URL(filePath: file)).write(to: URL(filePath: path(name)))
    return path(name)
  }

  /// A stand-in for rebind-inspect, which `$INSPECT` is, as a line for a shell.
  func program(_ line: String) throws -> String {
    let path = scratch.url.appending(path: "stand-in-\(UUID())").path
    try writeShellProgram("INSPECT='\(inspectPath)'\n\(line)", to: path)
    return path
  }

  /// `make test-machine` of folders.
  func machine(_ folders: [String], program: String = inspectPath) throws -> ProcessResult {
    try run(
      Places.package.appending(path: "Scripts/test-machine").path, folders,
      environment: ["INSPECT": program, "JOBS": "1"])
  }

  private func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path(name)))
  }
}
