import Foundation
import TestSupport
import Testing

/// Which versions files need, for which symbols, and which systems have them.
@Suite(.needsCommands, .measured, .notInCheck) struct RequiresTests {
  private struct Report: Decodable {
    var path: String
    var requirements: [Row]

    struct Row: Decodable {
      var kind: String
      var name: String
      var version: String?
      var since: String?
      var symbols: [String]
      var image: String?
      var note: String?
    }

    func rows(_ kind: String) -> [Row] { requirements.filter { $0.kind == kind } }

    func system(_ family: String) -> String? {
      rows("system").first { $0.name == family }?.version
    }
  }

  private struct Scope: Decodable {
    struct Image: Decodable { var dlopen: [Note] }
    struct Note: Decodable { var soname: [String] }
    var scope: [Image]
  }

  private static func report(_ arguments: [String]) throws -> Report {
    try #require(try Document<Report>("requires", arguments).files.first)
  }

  /// A C library with the versions that glibc 2.38 has of some functions, and one of C++.
  private static func runtime(in fixture: DependencyFixture) throws {
    let map = try fixture.write(
      "map",
      Data(
        """
        GLIBC_2.2.5 { global: open; }; GLIBC_2.9 { global: pipe2; } GLIBC_2.2.5;
        GLIBC_2.28 { global: fcntl64; } GLIBC_2.9; GLIBC_2.38 { global: newest; } GLIBC_2.28;
        GLIBC_ABI_DT_RELR { }; GLIBC_ABI_NEW { global: odd; };
        GLIBC_PRIVATE { global: inner; };
        """.utf8))
    let functions = ["open", "pipe2", "fcntl64", "newest", "odd", "inner"].map {
      "void \($0)(void) {}"
    }
    try fixture.library(
      "libc.so.6", functions.joined(separator: "\n"), flags: ["-Wl,--version-script=\(map)"])
    let other = try fixture.write(
      "other", Data("GLIBCXX_3.4.22 { global: *; }; CXXABI_1.3.11 { global: cxx; };".utf8))
    try fixture.library(
      "libstdc++.so.6", "void f(void) {} void cxx(void) {}",
      flags: ["-Wl,--version-script=\(other)"])
  }

  private static func caller(
    _ name: String, _ functions: [String], in fixture: DependencyFixture,
    needs: [String] = ["libc.so.6"], flags: [String] = []
  ) throws -> String {
    let source =
      functions.map { "void \($0)(void);" }.joined()
      + "void call_\(functions[0])(void) { \(functions.map { "\($0)();" }.joined()) }"
    return try fixture.library(
      name, "#pragma GCC diagnostic ignored \"-Wbuiltin-declaration-mismatch\"\n" + source,
      needs: needs, flags: flags)
  }

  /// The highest version counts as a number, the symbols that ask for it are to blame, and the oldest
  /// releases have it.
  @Test func theHighestVersionAndItsSymbols() throws {
    let fixture = DependencyFixture()
    try Self.runtime(in: fixture)
    let path = try Self.caller("liba.so", ["open", "pipe2", "fcntl64"], in: fixture)
    let report = try Self.report([path])
    #expect(report.rows("libc").map(\.name) == ["glibc"])
    let versions = report.rows("version")
    #expect(versions.map(\.name) == ["libc.so.6"] && versions.map(\.version) == ["GLIBC_2.28"])
    #expect(versions[0].symbols == ["fcntl64"] && versions[0].image == path)
    #expect(versions[0].since == "GLIBC_2.28" && versions[0].note == nil)
    #expect(report.system("Debian") == "10" && report.system("Ubuntu") == "20.04")
    #expect(report.system("RHEL") == "8" && report.system("manylinux") == "2_28")
    #expect(report.system("Alpine") == nil)
    let lines = try inspect(["requires", path]).output.split(separator: "\n")
    #expect(lines.contains("version libc.so.6 GLIBC_2.28 - fcntl64"))
    #expect(lines.contains { $0.hasPrefix("system Debian 10 https://") && $0.hasSuffix("/ -") })
  }

  /// A machine has the systems whose facts are known for it, or none and a note.
  @Test(arguments: [
    (machine: 183, systems: ["Debian 9", "Fedora 38", "RHEL 8", "Ubuntu 18.04", "manylinux 2_17"]),
    (machine: 243, systems: []),
  ])
  func systemsOfMachines(machine: Int, systems: [String]) throws {
    let fixture = DependencyFixture()
    try Self.runtime(in: fixture)
    let path = try Self.caller("liba.so", ["open"], in: fixture)
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes[18] = UInt8(machine)
    try bytes.write(to: URL(filePath: path))
    let report = try Self.report([path])
    #expect(
      report.rows("system").map { "\($0.name) \($0.version ?? "")" }.sorted() == systems)
    let note = report.rows("libc").first?.note ?? ""
    #expect(note.contains("not known here for riscv") == systems.isEmpty)
  }

  /// libstdc++ has versions of its own, which a release has to have too.
  @Test func versionsOfSeveralLibraries() throws {
    let fixture = DependencyFixture()
    try Self.runtime(in: fixture)
    let path = try Self.caller(
      "liba.so", ["open", "cxx"], in: fixture, needs: ["libc.so.6", "libstdc++.so.6"])
    let report = try Self.report([path])
    #expect(Set(report.rows("version").map(\.version)) == ["GLIBC_2.2.5", "CXXABI_1.3.11"])
    #expect(report.system("Debian") == "10" && report.system("manylinux") == "2_27")
    #expect(report.system("RHEL") == "8")
  }

  /// Versions that are private to glibc's own files say nothing of a release.
  @Test func privateVersions() throws {
    let fixture = DependencyFixture()
    try Self.runtime(in: fixture)
    let report = try Self.report([Self.caller("liba.so", ["pipe2", "inner"], in: fixture)])
    #expect(report.rows("version").map(\.version) == ["GLIBC_2.9", "GLIBC_PRIVATE"])
    #expect(report.rows("version").map(\.note) == [nil, "only glibc's own files have it"])
    #expect(
      report.rows("system").allSatisfy { $0.version != nil } && !report.rows("system").isEmpty)
  }

  /// A version that is newer than all that are known, and a mark that nobody knows.
  @Test func newerThanAllThatAreKnown() throws {
    let fixture = DependencyFixture()
    try Self.runtime(in: fixture)
    let path = try Self.caller("liba.so", ["odd"], in: fixture)
    let report = try Self.report([path])
    #expect(report.rows("version").map(\.version) == ["GLIBC_ABI_NEW"])
    #expect(report.rows("system").allSatisfy { $0.version == nil })
    #expect(report.rows("system").allSatisfy { $0.note == "newer than all that are known" })
    let refused = try inspect(["requires", "--at-most", "GLIBC_2.99", path])
    #expect(refused.status == 1 && refused.errorOutput.contains("GLIBC_ABI_NEW of libc.so.6"))
  }

  /// The number that a mark ends in is no version of the library.
  @Test(arguments: [
    ("GLIBC_ABI_NEW_2", "libc.so.6", "GLIBC_2.99"),
    ("GLIBCXX_NEW_3.4", "libstdc++.so.6", "GLIBCXX_3.4.99"),
  ])
  func unknownMarksWithNumbers(version: String, library: String, limit: String) throws {
    let fixture = DependencyFixture()
    let map = try fixture.write("map", Data("\(version) { global: f; };".utf8))
    try fixture.library(library, "void f(void) {}", flags: ["-Wl,--version-script=\(map)"])
    let path = try Self.caller("liba.so", ["f"], in: fixture, needs: [library])
    let report = try Self.report([path])
    #expect(report.rows("version").map(\.version) == [version])
    #expect(report.rows("version").map(\.since) == [nil])
    #expect(report.rows("system").count > 4)
    #expect(report.rows("system").allSatisfy { $0.version == nil })
    let refused = try inspect(["requires", "--at-most", limit, path])
    #expect(
      refused.status == 1 && refused.errorOutput.contains("\(version) of \(library) is newer"))
    // Of its own prefix it has a number.
    #expect(try inspect(["requires", "--at-most", version, path]).succeeded)
  }

  /// The versions that libstdc++ has on some machines alone came with those of the same number.
  @Test(arguments: [
    ("GLIBCXX_LDBL_3.4.29", "GLIBCXX_3.4.29", "GLIBCXX_3.4.28", "2_34"),
    ("GLIBCXX_IEEE128_3.4.30", "GLIBCXX_3.4.30", "GLIBCXX_3.4.29", "2_35"),
    ("CXXABI_ARM_1.3.3", "CXXABI_1.3.3", "CXXABI_1.3.2", "2_12"),
  ])
  func versionsOfOtherMachines(
    version: String, since: String, older: String, manylinux: String
  ) throws {
    let fixture = DependencyFixture()
    let map = try fixture.write("map", Data("\(version) { global: f; };".utf8))
    try fixture.library(
      "libstdc++.so.6", "void f(void) {}", flags: ["-Wl,--version-script=\(map)"])
    let path = try Self.caller("liba.so", ["f"], in: fixture, needs: ["libstdc++.so.6"])
    let report = try Self.report([path])
    #expect(report.rows("version").map(\.version) == [version])
    #expect(report.rows("version").map(\.since) == [since])
    #expect(report.system("manylinux") == manylinux)
    #expect(try inspect(["requires", "--at-most", since, path]).succeeded)
    let refused = try inspect(["requires", "--at-most", older, path])
    #expect(refused.status == 1 && refused.errorOutput.contains("\(version) of libstdc++.so.6"))
  }

  /// A library of somebody else's may call its versions as glibc does.
  @Test func versionsOfOtherLibraries() throws {
    let fixture = DependencyFixture()
    try Self.runtime(in: fixture)
    let map = try fixture.write(
      "map", Data("GLIBC_2.99 { global: f; }; GLIBC_ABI_OTHER { global: g; };".utf8))
    try fixture.library(
      "libother.so", "void f(void) {} void g(void) {}", flags: ["-Wl,--version-script=\(map)"])
    let path = try Self.caller(
      "liba.so", ["f", "g", "pipe2"], in: fixture, needs: ["libother.so", "libc.so.6"])
    let report = try Self.report([path])
    #expect(
      Set(report.rows("version").map { "\($0.name) \($0.version ?? "") \($0.since ?? "-")" }) == [
        "libother.so GLIBC_2.99 -", "libother.so GLIBC_ABI_OTHER -",
        "libc.so.6 GLIBC_2.9 GLIBC_2.9",
      ])
    #expect(report.system("Debian") == "9" && report.system("manylinux") == "2_12")
    #expect(try inspect(["requires", "--at-most", "GLIBC_2.9", path]).succeeded)
    #expect(try inspect(["requires", "--at-most", "GLIBC_2.8", path]).status == 1)
  }

  /// The linker leaves a mark that no symbol asks for: glibc has to be 2.36.
  @Test func marksWithoutASymbol() throws {
    let fixture = DependencyFixture()
    try Self.runtime(in: fixture)
    let source = "void open(void); static void f(void) { open(); } void (*pointer)(void) = f;"
    let path = try fixture.library(
      "liba.so", "#pragma GCC diagnostic ignored \"-Wbuiltin-declaration-mismatch\"\n" + source,
      needs: ["libc.so.6"], flags: ["-Wl,-z,pack-relative-relocs"])
    let report = try Self.report([path])
    let mark = try #require(report.rows("mark").first)
    #expect(mark.name == "libc.so.6" && mark.version == "GLIBC_ABI_DT_RELR")
    #expect(mark.symbols.isEmpty && mark.note == "since GLIBC_2.36" && mark.since == "GLIBC_2.36")
    #expect(report.system("Debian") == "12" && report.system("Fedora") == "38")
    let refused = try inspect(["requires", "--at-most", "GLIBC_2.35", path])
    #expect(refused.status == 1)
    #expect(
      refused.errorOutput == """
        rebind-inspect: \(path): GLIBC_ABI_DT_RELR of libc.so.6 is newer than GLIBC_2.35: \
        a mark of the linker's

        """)
    #expect(try inspect(["requires", "--at-most", "GLIBC_2.36", path]).succeeded)
  }

  /// Versions and marks that releases of the last years were the first to have.
  @Test func newerReleases() throws {
    let fixture = DependencyFixture()
    for (version, systems) in [
      ("GLIBC_2.36", ["Debian 12", "Ubuntu 24.04", "Fedora 38", "RHEL 10", "manylinux 2_36"]),
      ("GLIBC_2.37", ["Debian 13", "Ubuntu 24.04", "Fedora 38", "RHEL 10", "manylinux 2_37"]),
      ("GLIBC_2.41", ["Debian 13", "Ubuntu 25.10", "Fedora 42", "manylinux 2_41"]),
      ("GLIBC_2.42", ["Ubuntu 25.10", "Fedora 43"]),
      ("GLIBC_2.43", ["Ubuntu 26.04", "Fedora 44"]),
      ("GLIBC_ABI_DT_X86_64_PLT", ["Ubuntu 26.04", "Fedora 44"]),
      ("GLIBC_ABI_GNU2_TLS", ["Ubuntu 26.04", "Fedora 44"]),
      ("GLIBC_ABI_GNU_TLS", ["Ubuntu 26.04", "Fedora 44"]),
      ("GLIBC_2.44", []),
    ] {
      let map = try fixture.write("map", Data("\(version) { global: open; };".utf8))
      try fixture.library(
        "libc.so.6", "void open(void) {}", flags: ["-Wl,--version-script=\(map)"])
      let path = try Self.caller("liba.so", ["open"], in: fixture)
      let found = try Self.report([path]).rows("system").compactMap { row in
        row.version.map { "\(row.name) \($0)" }
      }
      #expect(found == systems, "\(version)")
    }
    let map = try fixture.write("map", Data("GLIBCXX_3.4.34 { global: f; };".utf8))
    try fixture.library(
      "libstdc++.so.6", "void f(void) {}", flags: ["-Wl,--version-script=\(map)"])
    let path = try Self.caller("liba.so", ["f"], in: fixture, needs: ["libstdc++.so.6"])
    #expect(try Self.report([path]).system("Fedora") == "42")
  }

  /// Each version above the limit is named with its symbols, and limits of other prefixes say nothing.
  @Test func limits() throws {
    let fixture = DependencyFixture()
    try Self.runtime(in: fixture)
    let path = try Self.caller("liba.so", ["open", "pipe2", "fcntl64", "newest"], in: fixture)
    let refused = try inspect(
      ["requires", "--at-most", "GLIBC_2.9", "--at-most", "GCC_1", path])
    #expect(refused.status == 1)
    let lines = refused.errorOutput.split(separator: "\n").map(String.init).sorted()
    let start = "rebind-inspect: \(path): GLIBC_2"
    #expect(
      lines == [
        "\(start).28 of libc.so.6 is newer than GLIBC_2.9: fcntl64",
        "\(start).38 of libc.so.6 is newer than GLIBC_2.9: newest",
      ])
    #expect(try inspect(["requires", "--at-most", "GLIBC_2.38", path]).succeeded)
    #expect(try inspect(["requires", "--at-most", "GLIBC", path]).status == 64)
  }

  /// Behind several files stand the highest version of each kind, and the systems that have all.
  @Test func theMaximumOfSeveralFiles() throws {
    struct Maximum: Decodable { var maximum: [Report.Row]? }
    let fixture = DependencyFixture()
    try Self.runtime(in: fixture)
    let old = try Self.caller("old.so", ["open", "pipe2"], in: fixture)
    let new = try Self.caller("new.so", ["open", "fcntl64"], in: fixture)
    let cxx = try Self.caller(
      "cxx.so", ["cxx"], in: fixture, needs: ["libc.so.6", "libstdc++.so.6"])
    for files in [[old, new, cxx], [cxx, new, old]] {
      let result = try inspect(["requires", "--format", "json"] + files)
      let decoded = try JSONDecoder().decode(Maximum.self, from: result.standardOutput)
      let rows = try #require(decoded.maximum)
      #expect(
        rows.filter { $0.kind == "version" }.map { [$0.version, $0.image] } == [
          ["GLIBC_2.28", new], ["CXXABI_1.3.11", cxx],
        ])
      #expect(rows.filter { $0.kind == "libc" }.map(\.name) == ["glibc"])
      #expect(
        rows.first { $0.kind == "system" && $0.name == "RHEL" }?.version
          == (try Self.report([new]).system("RHEL")))
      let text = try inspect(["requires"] + files).output.components(
        separatedBy: "\n\nmaximum of 3 files:\n")
      #expect(
        text.count == 2 && text[1].contains("version libc.so.6 GLIBC_2.28 in \(new) fcntl64\n"))
      let lines = try inspect(["requires", "-A"] + files).output.split(separator: "\n")
      #expect(lines.contains("maximum version libc.so.6 GLIBC_2.28 in \(new) fcntl64"))
    }
    let one = try inspect(["requires", "--format", "json", new]).standardOutput
    #expect(try JSONDecoder().decode(Maximum.self, from: one).maximum == nil)
  }

  /// A mistyped prefix limits nothing, so that it is an error if no file has it.
  @Test func limitsOfUnknownPrefixes() throws {
    let fixture = DependencyFixture()
    try Self.runtime(in: fixture)
    let path = try Self.caller("liba.so", ["open"], in: fixture)
    try fixture.library(
      "libown.so", "void own(void) {}",
      flags: [
        "-Wl,--version-script=\(try fixture.write("own", Data("OWN_1.2 { global: own; };".utf8)))"
      ])
    let other = try Self.caller("libb.so", ["own"], in: fixture, needs: ["libown.so"])
    for closure in [[], ["--closure", "--library-path", fixture.directory.url.path]] {
      func requires(_ arguments: String...) throws -> ProcessResult {
        try inspect(["requires"] + closure + arguments)
      }
      let mistyped = try requires("--at-most", "GLBC_2.17", path)
      #expect(mistyped.status == 2 && mistyped.output.contains("GLIBC_2.2.5"))
      #expect(
        mistyped.errorOutput == """
          rebind-inspect: --at-most GLBC_2.17: no version that is needed starts with GLBC_. \
          Did you mean GLIBC?

          """)
      #expect(try requires("--at-most", "FOO_1", path, other).status == 2)
      // One file of several has it.
      #expect(try requires("--at-most", "OWN_1.2", path, other).succeeded)
      #expect(try requires("--at-most", "OWN_1", path, other).errorOutput.contains("OWN_1.2 of "))
      // Those of the known libraries may be absent.
      for prefix in ["GLIBC_2.17", "GLIBCXX_3", "CXXABI_1", "GCC_3"] {
        #expect(try requires("--at-most", prefix, other).succeeded)
      }
    }
  }

  /// The libraries that a file needs count with `--closure`, and are named; the C library does not.
  @Test func closure() throws {
    let fixture = DependencyFixture()
    try Self.runtime(in: fixture)
    let origin = "-Wl,-rpath,\(fixture.path("."))"
    let library = try Self.caller("liba.so", ["fcntl64"], in: fixture, flags: [origin])
    let path = try Self.caller(
      "libb.so", ["open"], in: fixture, needs: ["liba.so", "libc.so.6"], flags: [origin])
    #expect(try Self.report([path]).system("Debian") == "9")
    let report = try Self.report(["--closure", path])
    #expect(report.rows("version").map(\.version) == ["GLIBC_2.28"])
    // The loader spells a library in the folder `.` so.
    #expect(report.rows("version")[0].image?.hasSuffix("/liba.so") == true)
    #expect(report.system("Debian") == "10")
    let refused = try inspect(["requires", "--closure", "--at-most", "GLIBC_2.9", path])
    #expect(refused.status == 1)
    #expect(refused.errorOutput.contains("newer than GLIBC_2.9, in /"))
    #expect(refused.errorOutput.hasSuffix("/liba.so: fcntl64\n"))
    try fixture.delete("liba.so")
    let lacking = try inspect(["requires", "--closure", path])
    #expect(lacking.status == 2 && lacking.errorOutput.contains("liba.so not found"))
    #expect(!library.isEmpty)
  }

  /// musl and files that need nothing have no versions, which is said.
  @Test func otherCLibraries() throws {
    let fixture = DependencyFixture()
    let alone = try fixture.library("libalone.so", "int value;")
    let report = try Self.report(["--at-most", "GLIBC_2.1", alone])
    #expect(report.rows("libc").map(\.name) == ["none"] && report.rows("system").isEmpty)
    try fixture.library("libc.musl-x86_64.so.1", "void f(void) {}")
    let musl = try fixture.library("libm.so", "", needs: ["libc.musl-x86_64.so.1"])
    let other = try Self.report(["--at-most", "GLIBC_2.1", musl])
    #expect(other.rows("libc").map(\.name) == ["musl"] && other.rows("system").isEmpty)
    #expect(other.rows("libc")[0].note?.contains("no versions of symbols") == true)
  }

  /// A file for a C library that is not known here fits none of the systems: Android's and FreeBSD's.
  @Test(arguments: [
    ("libc.so", "LIBC", "/system/bin/linker64"), ("libc.so.7", "FBSD_1.0", "/libexec/ld-elf.so.1"),
  ])
  func unknownCLibraries(library: String, version: String, loader: String) throws {
    let fixture = DependencyFixture()
    let map = try fixture.write("map", Data("\(version) { global: f; };".utf8))
    try fixture.library(library, "void f(void) {}", flags: ["-Wl,--version-script=\(map)"])
    try fixture.library("libalone.so", "int value;")
    let flags = ["-nostdlib", "-nostartfiles", "-Wl,--no-as-needed,--dynamic-linker=\(loader)"]
    for path in [
      try Self.caller("liba.so", ["f"], in: fixture, needs: [library]),
      try fixture.program("program", needs: ["libalone.so"], flags: flags),
    ] {
      let report = try Self.report([path])
      #expect(report.rows("libc").map(\.name) == ["other"])
      #expect(report.rows("libc")[0].note?.hasPrefix("it is for a C library that is not") == true)
      #expect(report.rows("system").isEmpty)
      // Its loader looks for libraries in other places.
      for command in [["tree"], ["why", "f"]] {
        let line = try inspect(command + [path]).errorOutput.split(separator: "\n").last ?? ""
        #expect(
          line.hasPrefix("rebind-inspect: \(path): it is for a C library that is not known here"))
      }
    }
    // glibc may be asked for its loader by any name.
    try Self.runtime(in: fixture)
    let moved = try fixture.program(
      "moved", "void open(void); void (*pointer)(void) = open;", needs: ["libc.so.6"], flags: flags)
    #expect(try Self.report([moved]).rows("libc").map(\.name) == ["glibc"])
    #expect(try !inspect(["tree", moved]).errorOutput.contains("C library"))
  }

  /// A file that names no library need not be one that needs none.
  @Test func filesThatNameNoLibrary() throws {
    let fixture = DependencyFixture()
    func note(_ path: String) throws -> String? {
      let rows = try Self.report([path]).rows("libc")
      #expect(rows.map(\.name) == ["none"])
      return rows[0].note
    }
    #expect(try note(fixture.library("libalone.so", "int value;")) == "it needs no library")
    #expect(try note(fixture.program("static", flags: ["-static"])) == "it needs no library")
    let source =
      "void f(void); void g(void); extern void w(void) __attribute__((weak)); void h(void)"
    let two = try fixture.library("libtwo.so", source + " { f(); g(); if (w) w(); }")
    #expect(
      try note(two)
        == "it names no library, but imports 2 symbols: what loads it has to have them")
    let one = try fixture.library("libone.so", source + " { f(); if (w) w(); }")
    #expect(try note(one)?.contains("imports a symbol:") == true)
    try fixture.write("two.c", Data((source + " { f(); g(); if (w) w(); }\n").utf8))
    try fixture.compile("gcc", ["-c", "-g", "-fPIC", "two.c", "-o", "object.o"])
    #expect(try note(fixture.path("object.o"))?.hasPrefix("it is an object file:") == true)
    try fixture.compile("ar", ["rc", "lib.a", "object.o"])
    #expect(
      try inspect(["requires", fixture.path("lib.a")]).output.contains("it is an object file:"))
    try fixture.compile("gcc", ["-shared", "object.o", "-o", "libfull.so"])
    try fixture.compile("objcopy", ["--only-keep-debug", "libfull.so", "libfull.debug"])
    let debug = try note(fixture.path("libfull.debug"))
    #expect(debug?.hasPrefix("it has debugging information alone") == true)
  }

  /// systemd's notes of libraries that are loaded by `dlopen`, and the level of the instruction set.
  @Test func notes() throws {
    let fixture = DependencyFixture()
    let json =
      #"[{"feature":"zip","description":"Unpack \u00e9","priority":"suggested","soname":["libz.so.1","libz-ng.so.1"]},{"soname":["libq.so"]},{"feature":"none"}]"#
    let path = try fixture.library("liba.so", Self.note(json) + Self.level)
    let report = try Self.report([path])
    let notes = report.rows("dlopen")
    #expect(notes.map(\.name) == ["libz.so.1|libz-ng.so.1", "libq.so"])
    // The specification: a note that does not say is taken for a recommendation.
    #expect(notes.map(\.version) == ["suggested", "recommended"])
    #expect(notes.map(\.note) == ["zip: Unpack é", nil])
    #if arch(x86_64)
    #expect(report.rows("level").map(\.version) == ["x86-64-v3"])
    #endif
    // `tree` has them below the file.
    let scope = try Document<Scope>("tree", [path]).files[0].scope
    #expect(scope[0].dlopen.map(\.soname) == [["libz.so.1", "libz-ng.so.1"], ["libq.so"]])
    let tree = try inspect(["tree", path]).output.split(separator: "\n")
    #expect(tree.contains("1 libz.so.1|libz-ng.so.1 dlopen - - suggested"))
  }

  /// RFC 8259 is strict.
  @Test func textThatIsNoJSON() throws {
    let fixture = DependencyFixture()
    func problem(_ json: String) throws -> String {
      let path = try fixture.library("liba.so", Self.note(json))
      return try inspect(["requires", path]).errorOutput
    }
    #expect(
      try problem(#"[0,-1.5e+3,10E1,true,false,null,"\u00e9\/",{"a":[[]]}]"#)
        .contains("has an entry without a soname"))
    for text in [
      "nil", "truer", "01", "+1", "1.", ".5", "1e", "-", #""\x""#, #""\u+123""#, #""\u12""#,
      "\"a\tb\"",
    ] {
      #expect(try problem("[\(text)]").contains("is no JSON"), "\(text)")
    }
  }

  /// The parts of a note that cannot be read are left out, and said.
  @Test(arguments: [
    (#"[{"soname":["#, [], "the note of dlopen in .note.dlopen is no JSON, and is left out"),
    (
      #"{"soname":["libz.so.1"]}"#, [],
      "the note of dlopen in .note.dlopen is no list of JSON, and is left out"
    ),
    (
      #"[{"soname":["","libq.so"]},{"soname":[""]},7]"#, ["libq.so"],
      "the note of dlopen in .note.dlopen has an entry without a soname, which is left out"
    ),
    (#"[{"soname":["","libq.so",""]}]"#, ["libq.so"], nil),
  ])
  func brokenNotes(json: String, names: [String], problem: String?) throws {
    let fixture = DependencyFixture()
    let path = try fixture.library("liba.so", Self.note(json))
    let line = problem.map { "rebind-inspect: \(path): \($0)\n" } ?? ""
    for command in [["requires"], ["requires", "--closure"], ["tree"], ["why", "nothing_at_all"]] {
      let result = try inspect(command + [path])
      #expect(result.succeeded && result.errorOutput == line, "\(command)")
    }
    #expect(try Self.report([path]).rows("dlopen").map(\.name) == names)
    // A library's note is said of the file that needs it.
    let program = try fixture.program(
      "program", needs: ["liba.so"], flags: ["-Wl,-rpath,\(fixture.directory.url.path)"])
    for command in [["requires", "--closure"], ["tree"], ["why", "nothing_at_all"]] {
      let result = try inspect(command + [program])
      let line = problem.map { "rebind-inspect: \(program): \(path): \($0)\n" } ?? ""
      #expect(result.succeeded && result.errorOutput == line, "\(command)")
    }
  }

  /// A note for packagers, in assembly.
  static func note(_ json: String) -> String {
    let text = json.replacing("\\", with: "\\\\\\\\").replacing("\"", with: "\\\\\\\"")
    return """
      __asm__(".pushsection .note.dlopen,\\"a\\",%note\\n.balign 4\\n"
        ".long 4, 2f-1f, 0x407c0c0a\\n.asciz \\"FDO\\"\\n1: .asciz \\"\(text)\\"\\n2: .balign 4\\n"
        ".popsection");

      """
  }

  /// The property X86_ISA_1_NEEDED with the bits of x86-64-baseline, v2 and v3.
  private static let level = """
    __asm__(".pushsection .note.gnu.property,\\"a\\",%note\\n.balign 8\\n"
      ".long 4, 16, 5\\n.asciz \\"GNU\\"\\n.long 0xc0008002, 4, 7, 0\\n.popsection");
    """
}
