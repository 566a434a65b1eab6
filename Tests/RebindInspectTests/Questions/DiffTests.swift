import TestSupport

/// `diff` finds what differs, each kind, and nothing else.
@Suite(.needsCommands, .measured) struct DiffTests {
  let fixture = DependencyFixture()

  private func changes(_ arguments: [String]) throws -> [String] {
    let result = try inspect(["diff"] + arguments)
    #expect(result.status == (result.output.isEmpty ? 0 : 1))
    #expect(result.errorOutput.isEmpty)
    return result.output.split(separator: "\n").map(String.init)
  }

  @Test(.notInCheck) func aFileIsEqualToItself() throws {
    for file in InstalledFile.allCases { #expect(try changes([file.path, file.path]) == []) }
  }

  @Test func exports() throws {
    let source = "int kept(void) { return 1; } int data[2];"
    let old = try fixture.library(
      "old.so", source + "int gone(void) { return 2; }", soname: "lib.so")
    let new = try fixture.library(
      "new.so", source.replacing("data[2]", with: "data[4]") + "int come(void) { return 2; }",
      soname: "lib.so")
    #expect(
      try changes(["--only", "export", old, new]) == [
        "+ export come FUNC", "- export data OBJECT 8", "+ export data OBJECT 16",
        "- export gone FUNC",
      ])
    #expect(try changes(["--except", "export", "--except", "build-id", old, new]) == [])
  }

  /// Names are bytes: two spellings of one text, and two names that are no text, are two names.
  @Test(
    arguments: [
      ([0xe2, 0x84, 0xab], [0x41, 0xcc, 0x8a], "\u{212b}", "A\u{30a}"),
      ([0xff, 0xfe, 0x25], [0xfe, 0xff, 0x25], "%FF%FE%25", "%FE%FF%25"),
    ] as [([UInt8], [UInt8], String, String)])
  func namesAreBytes(old: [UInt8], new: [UInt8], oldText: String, newText: String) throws {
    let built = try fixture.library("built.so", "int in_XYZ(void) { return 1; }", soname: "lib.so")
    func named(_ name: [UInt8], _ path: String) throws -> String {
      var bytes = try Data(contentsOf: URL(filePath: built))
      while let place = bytes.range(of: Data("XYZ".utf8)) {
        bytes.replaceSubrange(place, with: name)
      }
      return try fixture.write(path, bytes)
    }
    let (before, after) = (try named(old, "old.so"), try named(new, "new.so"))
    let lines = ["- export in_\(oldText) FUNC", "+ export in_\(newText) FUNC"]
    let exact = Set(lines.map { Array($0.utf8) })
    #expect(Set(try changes(["--only", "export", before, after]).map { Array($0.utf8) }) == exact)
    #expect(try changes([before, before]) == [])

    let facts = try inspect(["diff", "--facts", "--format", "json", before]).standardOutput
    let baseline = try fixture.write("facts.json", facts)
    #expect(try changes(["--baseline", baseline, before]) == [])
    let others = try changes(["--only", "export", "--baseline", baseline, after])
    #expect(Set(others.map { Array($0.utf8) }) == exact)
  }

  /// A version is no export; another absolute symbol is one.
  @Test func versionsAreNoExports() throws {
    let old = try fixture.library("old.so", "int f(void) { return 1; }", soname: "lib.so")
    let map = try fixture.write("v.map", Data("V1 { f; absolute; }; V2 { g; } V1;".utf8))
    let new = try fixture.library(
      "new.so", "int f(void) { return 1; } int g(void) { return 1; }", soname: "lib.so",
      flags: ["-Wl,--version-script=\(map)", "-Wl,--defsym=absolute=5"])
    #expect(try run("nm", ["-D", new]).output.contains(" A V2"))
    #expect(
      try changes(["--only", "export", old, new]) == [
        "+ export absolute@@V1 NOTYPE", "- export f FUNC", "+ export f@@V1 FUNC",
        "+ export g@@V2 FUNC",
      ])
  }

  @Test func imports() throws {
    let old = try fixture.program(
      "old", "#include <stdlib.h>\nvoid *use(void) { return malloc(1); }")
    let new = try fixture.program(
      "new", "#include <stdlib.h>\nvoid *use(void) { return calloc(1, 1); }")
    let lines = try changes([old, new])
    let names = Set(lines.map { $0.split(separator: " ")[1] })
    #expect(names.isSubset(of: ["import", "slot", "build-id"]))
    #expect(lines.contains { $0.hasPrefix("- import malloc@") && $0.hasSuffix(" GLOBAL") })
    #if arch(x86_64)
    #expect(lines.contains("+ slot calloc@GLIBC_2.2.5 1 R_X86_64_JUMP_SLOT"))
    #endif
  }

  @Test func headers() throws {
    for name in ["liba.so", "libb.so"] { try fixture.library(name) }
    let map = try fixture.write("v.map", Data("V1 { f; };".utf8))
    let old = try fixture.library(
      "old.so", "int f(void) { return 1; }", needs: ["liba.so", "libb.so"],
      flags: ["-Wl,-rpath,/old", "-Wl,-z,norelro", "-Wl,--build-id=0x1234"])
    let new = try fixture.library(
      "new.so", "int f(void) { return 1; }", needs: ["libb.so", "liba.so"],
      flags: [
        "-Wl,-rpath,/new", "-Wl,-z,relro,-z,now", "-Wl,--build-id=0x5678",
        "-Wl,--version-script=\(map)",
      ])
    let lines = try changes([old, new])
    for line in [
      "- build-id build-id 1234", "+ build-id build-id 5678", "- soname soname old.so",
      "+ soname soname new.so", "- needed-order order liba.so libb.so",
      "+ needed-order order libb.so liba.so", "- search-path runpath /old",
      "+ search-path runpath /new", "+ defined-version V1 ", "- export f FUNC",
      "+ export f@@V1 FUNC", "- hardening relro none", "+ hardening relro full",
      "+ hardening binds-now yes",
    ] {
      #expect(lines.contains(line) || lines.contains(line + "-"), "\(line)")
    }
    #expect(!lines.contains { $0.contains(" needed lib") })
  }

  @Test func machines() throws {
    let one = try BuiltFixture(target: "x86_64-linux-gnu")
    let other = try BuiltFixture(target: "s390x-linux-gnu")
    let lines = try changes(["--only", "header", one.path, other.path])
    #expect(
      lines == [
        "- header byteOrder little", "+ header byteOrder big", "- header machine x86-64",
        "+ header machine s390",
      ])
  }

  /// Only symbols that linkers see; a static function is none.
  @Test func objectFiles() throws {
    let old = try fixture.program("old.o", "int f(void) { return 1; } int data;", flags: ["-r"])
    let new = try fixture.program(
      "new.o", "int g(void); static int h(void) { return g(); } int f(void) { return h(); }",
      flags: ["-r"])
    #expect(
      try changes(["--only", "export", "--only", "import", old, new]) == [
        "- export data OBJECT 4", "+ import g GLOBAL",
      ])
    #expect(try changes([old, old]) == [])
    let library = try fixture.library("lib.so", "int f(void) { return 1; } int data;")
    #expect(
      try changes(["--only", "header", old, library]) == [
        "- header type REL", "+ header type DYN",
      ])
  }

  /// The tables of an image are not there, and finding no difference would say nothing.
  @Test func noImages() throws {
    let program = try fixture.program("program")
    let core = try fixture.core("core", of: program)
    try fixture.compile("objcopy", ["--only-keep-debug", program, "debug"])
    for (file, why) in [
      (core, "is a core file, no image"), (fixture.path("debug"), "has only debug information"),
    ] {
      for arguments in [[file, program], [program, file], [file, file]] {
        let result = try inspect(["diff"] + arguments)
        #expect(result.status == 2 && result.output.isEmpty)
        #expect(
          result.errorOutput == "rebind-inspect: \(file): unsupported: the file \(why)\n")
      }
    }
  }

  /// A comparison of nothing would find no difference.
  @Test func nothingLeftToCompare() throws {
    let program = try fixture.program("program")
    let files = [program, program]
    for options in [
      ["--only", "export", "--except", "export"],
      ["--only", "slot", "--only", "export", "--except", "export", "--except", "slot"],
    ] {
      let result = try inspect(["diff"] + options + files)
      #expect(result.status == 64 && result.output.isEmpty)
      #expect(result.errorOutput.contains("--except leaves nothing"))
    }
    let some = ["--only", "slot", "--only", "export", "--except", "export"]
    #expect(try inspect(["diff"] + some + files).succeeded)
  }

  @Test func archives() throws {
    for name in ["a.o", "b.o"] { try fixture.program(name, flags: ["-r"]) }
    try fixture.compile("ar", ["rc", "two.a", "a.o", "b.o"])
    try fixture.compile("ar", ["rc", "one.a", "a.o"])
    let two = fixture.path("two.a")
    let one = fixture.path("one.a")
    for arguments in [[two, two], [one, two], [two, one]] {
      let result = try inspect(["diff"] + arguments)
      #expect(result.status == 2 && result.output.isEmpty)
      #expect(
        result.errorOutput
          == "rebind-inspect: \(two): unsupported: the file is an archive of 2 members: name one, "
          + "as \(two)(a.o)\n")
    }
    #expect(try changes([one, "\(two)(b.o)"]) == [])
  }

  @Test func json() throws {
    let old = try fixture.library("old.so", "int f(void) { return 1; }", soname: "lib.so")
    let new = try fixture.library("new.so", soname: "lib.so")
    struct Document: Decodable {
      struct File: Decodable {
        struct Change: Decodable, Equatable {
          var kind: String
          var name: String
          var before: String?
          var after: String?
        }
        var path: String
        var otherPath: String
        var isEqual: Bool
        var changes: [Change]
      }
      var files: [File]
    }
    let result = try inspect(["diff", "--format", "json", "--only", "export", old, new])
    let file = try JSONDecoder().decode(Document.self, from: result.standardOutput).files[0]
    #expect(file.path == old && file.otherPath == new && !file.isEqual)
    #expect(file.changes == [.init(kind: "export", name: "f", before: "FUNC", after: nil)])
  }

  @Test func failures() throws {
    let file = try InstalledFile.libc.path
    for arguments in [["/nowhere", file], [file, "/nowhere"]] {
      let result = try inspect(["diff"] + arguments)
      #expect(result.status == 2 && result.output.isEmpty)
      #expect(result.errorOutput == "rebind-inspect: /nowhere: No such file or directory\n")
    }
    #expect(try inspect(["diff", file]).status == 64)
    #expect(try inspect(["diff", "--only", "nonsense", file, file]).status == 64)
  }
}
