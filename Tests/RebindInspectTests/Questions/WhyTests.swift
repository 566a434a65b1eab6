import Foundation
import TestSupport
import Testing

/// `why`: one file a reason.
@Suite(.needsCommands, .measured) struct WhyTests {
  let fixture = DependencyFixture()

  private struct Answer: Decodable, Equatable {
    struct Reason: Decodable, Equatable {
      var reason: String
      var detail: String?
      var slots: Int
      var message: String
      var dlopen: Definition?
    }
    struct Definition: Decodable, Equatable {
      var library: String
      var image: String
      var priority: String
    }
    var isSeen: Bool
    var reasons: [Reason]

    /// The reasons with their details.
    var words: [String] { reasons.map { [$0.reason, $0.detail ?? "-"].joined(separator: " ") } }
  }

  private func why(_ symbol: String, in file: String, _ options: [String] = []) throws -> Answer {
    struct Document: Decodable { var files: [Answer] }
    let result = try inspect(["why", symbol, "--format", "json"] + options + ["--in", file])
    #expect(result.succeeded, "\(result.errorOutput)")
    return try JSONDecoder().decode(Document.self, from: result.standardOutput).files[0]
  }

  @Test func slots() throws {
    let program = try fixture.program(
      "program",
      """
      #include <stdlib.h>
      void *(*volatile pointer)(size_t) = malloc;
      void *use(void) { return malloc(1); }
      """)
    let answer = try why("malloc", in: program)
    #expect(answer.isSeen && answer.words == ["has-slots -"])
    #expect(answer.reasons[0].slots == 2)
    #expect(try why("calloc", in: program).words == ["not-imported -"])
    let text = try inspect(["why", "calloc", "--in", program]).output
    #expect(text.hasPrefix("not-imported - 0 the file does not import it"))
  }

  @Test func boundInside() throws {
    let source = """
      int called(void) { return 1; } int caller(void) { return called(); }
      __attribute__((visibility("hidden"))) int hidden(void) { return 2; }
      static __attribute__((noinline)) int local(void) { return 3; }
      __attribute__((visibility("protected"))) int guarded(void) { return 4; }
      int other(void) { return hidden() + local() + guarded(); }
      """
    let plain = try fixture.library("plain.so", source, flags: ["-O0"])
    #expect(try why("called", in: plain).words == ["has-slots -"])
    // GNU ld takes the visibility away.
    #expect(try why("hidden", in: plain).words == ["bound-inside local"])
    let other = try fixture.library("other.so", source, flags: ["-O0", "-fuse-ld=lld"])
    #expect(try why("hidden", in: other).words == ["bound-inside hidden"])
    #expect(try why("local", in: plain).words == ["bound-inside local"])
    #expect(try why("guarded", in: plain).words == ["bound-inside protected"])
    let symbolic = try fixture.library("symbolic.so", source, flags: ["-O0", "-Wl,-Bsymbolic"])
    #expect(try why("called", in: symbolic).words == ["bound-inside -Bsymbolic"])
    let program = try fixture.program("program", source, flags: ["-rdynamic"])
    #expect(try why("called", in: program).words == ["bound-inside -"])
    let closed = try fixture.program("closed", source)
    #expect(try why("called", in: closed).words == ["bound-inside unexported"])
  }

  /// A pointer to the function does not say who calls it.
  @Test func pointersInData() throws {
    let source = """
      #include <unistd.h>
      int called(void) { return 1; } int (*pointer)(void) = called; pid_t (*other)(void) = getppid;
      """
    let program = try fixture.program("program", source, flags: ["-rdynamic"])
    // Bound to the program itself, a pointer needs no symbol.
    #expect(try why("called", in: program).words == ["bound-inside -"])
    let answer = try why("getppid", in: program)
    #expect(answer.words == ["has-slots data"] && answer.isSeen)
    #expect(answer.reasons[0].message.hasPrefix("pointers in data lead to it"))
    let library = try fixture.library(
      "library.so", source + "int caller(void) { return called(); }",
      flags: ["-O2", "-fno-semantic-interposition"])
    #expect(try why("called", in: library).words == ["has-slots data", "bound-inside -"])
  }

  #if arch(x86_64) || arch(aarch64)
  @Test func copiedData() throws {
    let program = try fixture.program(
      "program", "#include <stdio.h>\nint use(void) { return fputs(\"x\", stdout); }",
      flags: ["-no-pie", "-fno-pie", "-mcmodel=small"])
    let answer = try why("stdout", in: program)
    #expect(answer.words == ["bound-inside copied"] && !answer.isSeen)
    #expect(answer.reasons[0].message.contains("a copy"))
  }
  #endif

  /// The file has slots, but no definition yet.
  @Test func importedButNotDefined() throws {
    let library = try fixture.library(
      "library.so", "int never(void); int use(void) { return never(); }")
    let answer = try why("never", in: library)
    #expect(answer.words == ["has-slots -", "not-defined -"] && answer.isSeen)
    #expect(answer.reasons.map(\.slots) == [1, 0])
  }

  /// Nothing is said of what a library that was not found may have.
  @Test func notFound() throws {
    try fixture.library("libgone.so", "int gone(void) { return 1; }")
    let library = try fixture.library(
      "library.so", "int gone(void); int use(void) { return gone(); }", needs: ["libgone.so"])
    try fixture.delete("libgone.so")
    #expect(try why("gone", in: library).words == ["has-slots -"])
  }

  /// The names that compilers put in place of calls.
  @Test func rewrittenCalls() throws {
    let program = try fixture.program(
      "program",
      """
      #include <ctype.h>
      #include <stdio.h>
      #include <stdlib.h>
      static void end(void) {}
      int use(int c) {
        printf("hello\\n"); printf("x"); fprintf(stderr, "x"); fprintf(stderr, "xy");
        return atexit(end) + tolower(c);
      }
      """, flags: ["-O2"])
    func others(_ symbol: String) throws -> Set<String> {
      Set(try why(symbol, in: program).words.filter { $0.hasPrefix("other-name ") })
    }
    #expect(try others("printf") == ["other-name puts", "other-name putchar"])
    #expect(try others("fprintf") == ["other-name fputc", "other-name fwrite"])
    #expect(try others("atexit") == ["other-name __cxa_atexit"])
    #expect(try others("tolower") == ["other-name __ctype_tolower_loc"])
    #expect(try others("puts").isEmpty)
  }

  @Test(arguments: [
    ("open", ["-D_FILE_OFFSET_BITS=64"], ["open64"]),
    ("open", ["-O2", "-D_FORTIFY_SOURCE=2", "-D_FILE_OFFSET_BITS=64"], ["__open64_2"]),
    ("open", ["-O2", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2"], ["__open_2"]),
    ("open64", [], ["open"]),
  ])
  func otherNames(symbol: String, flags: [String], names: [String]) throws {
    let program = try fixture.program(
      "program",
      "#include <fcntl.h>\nint flags; int use(void) { return open(\"/\", flags); }", flags: flags)
    #if arch(x86_64) || arch(aarch64)
    let answer = try why(symbol, in: program)
    #expect(!answer.isSeen)
    #expect(answer.words == ["not-imported -"] + names.map { "other-name \($0)" })
    #endif
  }

  @Test func relatives() throws {
    let program = try fixture.program(
      "program", "#include <fcntl.h>\nint use(void) { return openat(3, \"/\", 0); }")
    #expect(try why("open", in: program).words.contains("other-name openat"))
  }

  @Test func versionsAndLibraries() throws {
    let map = try fixture.write("v.map", Data("V1 { f; }; V2 { f; } V1;".utf8))
    try fixture.library(
      "liba.so",
      """
      __asm__(".symver f_old, f@V1"); __asm__(".symver f_new, f@@V2");
      int f_old(void) { return 1; } int f_new(void) { return 2; }
      """, flags: ["-Wl,--version-script=\(map)"])
    let program = try fixture.program(
      "program", "int f(void); int use(void) { return f(); }", needs: ["liba.so"],
      flags: ["-Wl,-rpath,\(fixture.directory.url.path)"])
    #expect(try why("f@V2", in: program).words == ["has-slots -"])
    #expect(try why("f@@V2", in: program).isSeen)
    #expect(try why("f@V1", in: program).words == ["other-version V2"])
    #expect(try why("f", in: program, ["--library", "liba.so"]).isSeen)
    #expect(
      try why("f", in: program, ["--library", "libc.so.6"]).words == ["other-library liba.so"])
  }

  /// A library without versions is another one than asked for, unless its name was asked for too.
  @Test func librariesWithoutVersions() throws {
    try fixture.library("libplain.so", "int f(void) { return 1; }")
    let program = try fixture.program(
      "program", "int f(void); int use(void) { return f(); }", needs: ["libplain.so"],
      flags: ["-Wl,-rpath,\(fixture.directory.url.path)"])
    #expect(try why("f@V1", in: program).words == ["other-library libplain.so"])
    #expect(
      try why("f@V1", in: program, ["--library", "libplain.so"]).words == ["other-version none"])
    #expect(
      try why("f@V1", in: program, ["--library", "liba.so"]).words == ["other-library libplain.so"])
  }

  @Test func nothingDefinesIt() throws {
    let program = try fixture.program(
      "program",
      """
      __attribute__((weak)) int absent(void);
      int use(void) { return absent ? absent() : 0; }
      """)
    #expect(
      try why("absent", in: program).words == ["unchangeable weak", "not-defined -"])
    #expect(try why("nothing_at_all", in: program).words == ["not-imported -", "not-defined -"])
  }

  /// A note names the library that has the symbol, which nothing needs.
  @Test func librariesOfNotes() throws {
    let loaded = try fixture.library(
      "libloaded.so", "int provided(void) { return 1; }",
      flags: ["-Wl,--version-script=\(try fixture.write("map", Data("V1 { provided; };".utf8)))"])
    let note = RequiresTests.note(
      #"[{"soname":["libabsent.so.1","libloaded.so"],"priority":"recommended"}]"#)
    let origin = ["-Wl,-rpath,\(fixture.directory.url.path)"]
    let library = try fixture.library("library.so", note, flags: origin)
    let answer = try why("provided", in: library)
    #expect(answer.words == ["not-imported -", "not-defined -", "dlopen libloaded.so"])
    #expect(!answer.isSeen && answer.reasons.dropLast().allSatisfy { $0.dlopen == nil })
    let definition = Answer.Definition(library: loaded, image: library, priority: "recommended")
    #expect(answer.reasons[2].dlopen == definition)
    #expect(
      answer.reasons[2].message == """
        the file may load this library with dlopen (recommended), and it defines the symbol: \
        calls of a pointer from dlsym go through no slot
        """)
    let lines = try inspect(["why", "provided", library]).output.split(separator: "\n")
    #expect(lines.last?.hasPrefix("dlopen libloaded.so 0 the file may load") == true)
    let table = try inspect(["why", "provided", "--format", "csv", library]).output
    #expect(table.contains(#","dlopenLibrary","dlopenImage","dlopenPriority""# + "\r\n"))
    #expect(table.hasSuffix(",\(loaded),\(library),recommended\r\n"))

    // The note of a library that a program needs.
    let program = try fixture.program("program", needs: ["library.so"], flags: origin)
    let needing = try #require(try why("provided", in: program).reasons.last)
    #expect(needing.dlopen == definition && needing.message.hasPrefix("library.so may load"))
    // Whoever loads it may do so for all.
    let importing = try fixture.library(
      "importing.so", note + "int provided(void); int use(void) { return provided(); }",
      flags: origin)
    #expect(
      try why("provided", in: importing).words == [
        "has-slots -", "not-defined -", "dlopen libloaded.so",
      ])
    // In another version, library or name it is not there.
    for (symbol, options) in [
      ("provided@V2", []), ("provided", ["--library", "libc.so.6"]), ("provided_not", []),
    ] {
      #expect(
        try why(symbol, in: library, options).words.allSatisfy { !$0.hasPrefix("dlopen") })
    }
    for (symbol, options) in [("provided@V1", []), ("provided", ["--library", "libloaded.so"])] {
      #expect(try why(symbol, in: library, options).words.contains("dlopen libloaded.so"))
    }
    // The note says nothing new of a library that is needed besides.
    let both = try fixture.library("both.so", note, needs: ["libloaded.so"], flags: origin)
    #expect(try why("provided", in: both).words == ["not-imported -"])

    try fixture.delete("libloaded.so")
    #expect(
      try why("provided", in: library).words == [
        "not-imported -", "not-defined -", "dlopen-missing libabsent.so.1|libloaded.so",
      ])
    #expect(try why("malloc", in: program).words == ["not-imported -"])
  }

  /// Many libraries of a note, none of which is there, take about as long as one that is named as often.
  @Test func manyLibrariesOfNotes() throws {
    func library(_ name: (Int) -> Int) throws -> String {
      let entries = (0..<(isQuick ? 8000 : 24000)).map {
        #"{"soname":"libabsent\#(name($0)).so.1"}"#
      }
      return try fixture.library(
        "library-\(name(1)).so", RequiresTests.note("[\(entries.joined(separator: ","))]"))
    }
    func seconds(_ library: String, _ end: String) throws -> Double {
      let result = try bash(
        "TIMEFORMAT=%U; time \"$0\" why provided --library-path '' \"$1\" > \"$1.out\"", [library])
      let output = try String(contentsOf: URL(filePath: library + ".out"), encoding: .utf8)
      #expect(output.contains("dlopen-missing libabsent10000.so.1\(end)"))
      return try #require(
        Double(result.errorOutput.trimmingCharacters(in: .whitespacesAndNewlines)))
    }
    let libraries = try (library { _ in 10000 }, library { 10000 + $0 })
    // In turns, as a busy machine makes either take longer.
    var (one, many) = (Double.infinity, Double.infinity)
    for _ in 0..<40 where one == .infinity || many >= 1.5 * one {
      one = try min(one, seconds(libraries.0, " "))
      many = try min(many, seconds(libraries.1, ",libabsent10001.so.1,"))
    }
    #expect(many < 1.5 * one, "\(one) s, \(many) s")
  }

  @Test func filesWithoutALoader() throws {
    for flag in ["-static", "-static-pie"] {
      let program = try fixture.program(
        "program", "#include <stdlib.h>\nvoid *use(void) { return malloc(1); }", flags: [flag])
      #expect(try why("malloc", in: program).words == ["static-executable -"])
    }
    try fixture.write("object.c", Data("int f(void); int g(void) { return f(); }".utf8))
    try fixture.compile("gcc", ["-c", "object.c", "-o", "object.o"])
    let object = fixture.path("object.o")
    let result = try inspect(["why", "f", "--in", object])
    #expect(result.status == 2)
    #expect(
      result.errorOutput == "rebind-inspect: \(object): unsupported: the file is no linked image\n")
  }

  /// A slot is a slot on each machine, with section headers or without.
  @Test(arguments: [
    "x86_64-linux-gnu", "i386-linux-gnu", "aarch64-linux-gnu", "armv7-linux-gnueabihf",
    "powerpc-linux-gnu", "s390x-linux-gnu", "riscv64-linux-gnu", "powerpc64le-linux-gnu",
  ])
  func machines(target: String) throws {
    let built = try BuiltFixture(target: target)
    let stripped = try built.write(built.bytes().withoutSectionHeaders(), as: "stripped.so")
    for file in [built.path, stripped] {
      #expect(try why("provided_function", in: file).words.contains("has-slots -"), "\(file)")
      let nowhere = try why("nothing_at_all", in: file).words
      #expect(nowhere.prefix(2) == ["not-imported -", "not-defined -"])
      #expect(nowhere.contains("may-be-inside stripped") == (file == stripped))
    }
  }

  /// A symbol that is missing may be misspelt, or be in a file that has no symbols for linkers.
  @Test func guesses() throws {
    let source = "int provided(void) { return 1; } int propided(void) { return 2; }"
    let library = try fixture.library("guessed.so", source)
    #expect(
      try why("provdied", in: library).words == [
        "not-imported -", "not-defined -", "similar-name provided",
      ])
    #expect(
      try why("pro_ided", in: library).words.suffix(2) == [
        "similar-name propided", "similar-name provided",
      ])
    let stripped = try fixture.library("guessed-stripped.so", source, flags: ["-s"])
    #expect(
      try why("provdied", in: stripped).words.suffix(2) == [
        "may-be-inside stripped", "similar-name provided",
      ])
    #expect(try why("provided", in: stripped).words == ["bound-inside -"])
    let sanitized = try fixture.library(
      "sanitized.so", "int taken(void) { return 1; } int __interceptor_taken(void) { return 2; }")
    #expect(try why("taken", in: sanitized).words == ["bound-inside sanitizer"])
  }
}
