import TestSupport

/// The output of `hardening` for files that are built one way or another.
@Suite(.needsCommands, .measured) struct HardeningTests {
  /// `file-hardening.c` built with some options, and the lines that these bring.
  struct Case: Sendable, CustomTestStringConvertible {
    var flags: [String]
    var verdicts: [String: String]
    var testDescription: String { flags.joined(separator: " ") }

    init(_ flags: String..., verdicts: [String: String]) {
      self.flags = flags
      self.verdicts = verdicts
    }
  }

  static let cases = casesOfAll + casesOfX86

  private static let casesOfAll = [
    Case("-pie", "-fPIE", "-Wl,-z,relro,-z,now", verdicts: ["relro": "full", "binding": "now"]),
    Case(
      "-pie", "-fPIE", "-Wl,-z,relro,-z,lazy",
      verdicts: ["relro": "partial", "binding": "lazy", "pie": "yes", "stack": "nx"]),
    Case("-pie", "-fPIE", "-Wl,-z,norelro", verdicts: ["relro": "none"]),
    Case("-no-pie", "-fno-pie", verdicts: ["pie": "no"]),
    Case("-shared", "-fPIC", verdicts: ["pie": "library", "symbolic": "no"]),
    Case("-shared", "-fPIC", "-Wl,-Bsymbolic", verdicts: ["symbolic": "yes"]),
    Case("-static", verdicts: ["pie": "no", "relro": "", "symbolic": ""]),
    Case("-static-pie", "-fPIE", verdicts: ["pie": "yes", "binding": "", "stack": "nx"]),
    Case("-Wl,-z,execstack", verdicts: ["stack": "executable"]),
    Case("-fno-stack-protector", verdicts: ["canary": "no"]),
    Case("-fstack-protector-all", verdicts: ["canary": "yes"]),
    Case("-U_FORTIFY_SOURCE", verdicts: ["fortify": "no"]),
    Case("-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2", verdicts: ["fortify": "partial"]),
    Case("-Wl,-rpath,/opt/a", "-Wl,--enable-new-dtags", verdicts: ["search-path": "runpath"]),
    Case("-Wl,-rpath,/opt/a", "-Wl,--disable-new-dtags", verdicts: ["search-path": "rpath"]),
    Case(
      "-shared", "-fPIC", "-nostdlib", "-Wl,-N",
      verdicts: ["writable-code": "yes", "text-relocations": "no"]),
  ]

  #if arch(x86_64)
  private static let casesOfX86 = [
    Case(
      "-c", "-fstack-protector-all", "-fcf-protection=full",
      verdicts: [
        "canary": "yes", "branches": "IBT,SHSTK", "relro": "", "pie": "", "stack": "nx",
        "search-path": "",
      ]),
    Case("-c", "-fcf-protection=none", verdicts: ["branches": "unchecked"]),
  ]
  #else
  private static let casesOfX86: [Case] = []
  #endif

  @Test(arguments: cases)
  func verdicts(_ test: Case) throws {
    let builder = try FixtureBuilder(.gcc)
    let path = builder.directory.url.appending(path: "hardened").path
    try builder.compile(
      ["-O2", Places.fixture("file-hardening.c").path, "-o", path] + test.flags)
    let result = try inspect(["hardening", path])
    #expect(result.succeeded)
    var verdicts: [String: String] = [:]
    for line in result.output.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 2)
      try #require(words.count == 3, "a consequence is missing: \(line)")
      verdicts[String(words[0])] = String(words[1])
    }
    for (property, verdict) in test.verdicts {
      #expect(verdicts[property] ?? "" == verdict, "\(property)")
    }
    // Each verdict can be required; the words of one stand between commas.
    let required = verdicts.flatMap { property, verdict in
      verdict.split(separator: ",").map { "\(property)=\($0)" }
    }.joined(separator: ",")
    let met = try inspect(["hardening", "--require", required, path])
    #expect(met.status == 0 && met.errorOutput == "", "\(required)")
  }

  /// A file that is not as required is to blame, with what it has instead.
  @Test func requirements() throws {
    let fixture = DependencyFixture()
    let library = try fixture.library("lib.so", flags: ["-Wl,-z,norelro"])
    let good = try fixture.library("good.so", flags: ["-Wl,-z,relro,-z,now"])
    let object = try fixture.program("object.o", flags: ["-r"])
    let options = [
      "--require", "relro=full/partial,pie=yes/library", "--require", "search-path=none",
    ]
    let result = try inspect(["hardening"] + options + [good, library, object])
    #expect(result.status == 1)
    #expect(
      result.errorOutput
        == "rebind-inspect: \(library): relro is none, not full or partial: all slots are writable\n"
    )
    struct Document: Decodable {
      struct File: Decodable { var hardening: Hardening }
      struct Hardening: Decodable { var violations: [String]? }
      var files: [File]
    }
    let json = try inspect(["hardening", "--format", "json"] + options + [good, library])
    let files = try JSONDecoder().decode(Document.self, from: json.standardOutput).files
    #expect(files.map { $0.hardening.violations?.count } == [0, 1] && json.status == 1)
    #expect(try inspect(["hardening"] + options + [library, "/nowhere"]).status == 2)
    for (value, list) in [
      ("rello=full", "Properties are relro, binding, pie, "),
      ("relro", "relro is full, partial or none"),
      ("relro=full/ful", "relro is full, partial or none"), ("relro=", "full, partial or none"),
      ("relro=full,", "'' is no property"),
    ] {
      let wrong = try inspect(["hardening", "--require", value, good])
      #expect(wrong.status == 64 && wrong.errorOutput.contains(list), "\(value)")
    }
  }

  /// The function that a failed check calls is in each static program.
  /// A debug file has the headers of code that is not in it: readelf shows that too.
  @Test(arguments: [[], ["-c"]])
  func debugFiles(flags: [String]) throws {
    let builder = try FixtureBuilder(.gcc)
    try builder.compile(["-g", Places.fixture("file-hardening.c").path, "-o", "whole"] + flags)
    let path = builder.directory.url.appending(path: "debug").path
    let whole = builder.directory.url.appending(path: "whole").path
    #expect(try run("objcopy", ["--only-keep-debug", whole, path]).succeeded)
    #expect(try run("readelf", ["-SW", path]).output.contains(/\.text +NOBITS/))
    let result = try inspect(["hardening", path])
    #expect(!result.succeeded && result.output.isEmpty)
    #expect(
      result.errorOutput.hasPrefix("rebind-inspect: \(path): unsupported: the file has no code, "))
    let csv = try inspect(["hardening", "--format", "csv", path]).output
    #expect(csv.split(separator: "\r\n").count == 1)
    #expect(try Report("hardening", [path]).files.first?.error?.code == "unsupported")
  }

  @Test func aStaticProgramsCanaryMayBeItsLibrarys() throws {
    let builder = try FixtureBuilder(.gcc)
    let path = builder.directory.url.appending(path: "hardened").path
    try builder.compile([
      "-static", "-fno-stack-protector",
      Places.fixture("file-hardening.c").path, "-o", path,
    ])
    let output = try inspect(["hardening", path]).output
    #expect(output.contains("canary unknown the C library that it is linked with "))
  }

  /// musl's loader binds all that it loads.
  @Test func muslBindsAtLoad() throws {
    let fixture = DependencyFixture()
    for (loader, binding) in [("ld-musl-x86_64.so.1", "now"), ("ld-other.so.1", "lazy")] {
      let program = try fixture.program(
        "program", "#include <stdlib.h>\nvoid *use(void) { return malloc(1); }",
        flags: ["-Wl,-z,lazy", "-Wl,--dynamic-linker=/lib/\(loader)"])
      #expect(try inspect(["hardening", program]).output.contains("\nbinding \(binding) "))
      let slots = try inspect(["slots", "--kind", "jumpSlot", program]).output
      #expect(slots.contains(" \(binding) ") && slots.contains(" malloc"))
    }
  }

  /// A program with others' rights takes nothing from its caller's folders, as `tree` finds.
  @Test(arguments: [0o4755, 0o2755, 0o755])
  func searchPathsOfOthersRights(mode: Int) throws {
    let fixture = DependencyFixture()
    for (flag, verdict) in [("enable", "runpath"), ("disable", "rpath")] {
      for (path, isOwn) in [("$ORIGIN/lib", true), ("/opt/a", false)] {
        let program = try fixture.program(
          "program", flags: ["-Wl,-rpath,\(path)", "-Wl,--\(flag)-new-dtags"])
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: program)
        let lines = try inspect(["hardening", program]).output.split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix("search-path \(verdict) ") })
        #expect(line.contains("LD_LIBRARY_PATH does not count") == (mode != 0o755))
        #expect(line.contains("$ORIGIN counts below") == (mode != 0o755 && isOwn))
        #expect(line.contains("unless LD_LIBRARY_PATH") == (mode == 0o755 && flag == "enable"))
      }
    }
    let musl = try fixture.program(
      "musl",
      flags: ["-Wl,-rpath,$ORIGIN/lib", "-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1"])
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: musl)
    let verdict = try inspect(["hardening", musl]).output
    #expect(verdict.contains("$ORIGIN does not count") == (mode != 0o755))
  }

  /// The checked name is what a rebinding has to name as well.
  @Test func fortifiedNamesAreTold() throws {
    let builder = try FixtureBuilder(.gcc)
    let path = builder.directory.url.appending(path: "hardened").path
    try builder.compile([
      "-O2", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2",
      Places.fixture("file-hardening.c").path, "-o", path,
    ])
    let output = try inspect(["hardening", path]).output
    #expect(output.contains("rebind these too: __strcpy_chk; unchecked: memmove"))
    // Without symbols nothing can be said of what a static program calls.
    try builder.compile([
      "-O2", "-static", "-s", Places.fixture("file-hardening.c").path, "-o", path,
    ])
    let stripped = try inspect(["hardening", path]).output
    #expect(stripped.contains("canary unknown ") && stripped.contains("fortify unknown "))
  }

  @Test func textRelocations() throws {
    let fixture = DependencyFixture()
    let path = try fixture.foreign(
      "linked", target: "i386-linux-gnu",
      source: "extern int imported; int read(void) { return imported; }",
      compilerFlags: ["-fno-pic"], flags: ["-shared", "-z", "notext"])
    #expect(try inspect(["hardening", path]).output.contains("text-relocations yes "))
  }
}
