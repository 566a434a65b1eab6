import Foundation
import TestSupport
import Testing

/// Rules that few programs meet: others' rights, libraries that stand in for others, folders of older
/// loaders. The loader is the witness.
@Suite(.needsCommands, .measured) struct LoaderRuleTests {
  let fixture = DependencyFixture()

  /// Equal to the loader's own trace: names, paths and order.
  private func compare(
    _ program: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Tree {
    let tree = try Tree([program])
    let trace = try loaderTrace(program).filter { $0.path != nil }
    #expect(tree.libraries == trace, sourceLocation: sourceLocation)
    return tree
  }

  /// A library that cannot be preloaded is missing all the same if the program needs it, or is
  /// found by the image that needs it.
  @Test func aMissingPreloadThatIsNeeded() throws {
    try fixture.library("lib/libb.so")
    try fixture.library("lib/liba.so", needs: ["lib/libb.so"], flags: ["-Wl,-rpath,$ORIGIN"])
    let program = try fixture.program(
      "program", needs: ["lib/liba.so"], flags: ["-Wl,-rpath,\(fixture.path("lib"))"])
    func tree() throws -> Tree { try Tree(["--preload", "libb.so", program]) }
    let found = try tree()
    #expect(found.libraries.contains { $0.path == fixture.path("lib/libb.so") })
    #expect(try run(program, environment: ["LD_PRELOAD": "libb.so"]).succeeded)
    try FileManager.default.removeItem(atPath: fixture.path("lib/libb.so"))
    let gone = try tree()
    #expect(!gone.isComplete && gone.missing.map(\.isPreload) == [true, false])
    #expect(try inspect(["tree", "--preload", "libb.so", program]).status == 1)
    #expect(try !run(program, environment: ["LD_PRELOAD": "libb.so"]).succeeded)
  }

  /// A name that one image looks for in vain is looked for again by another, on its own path.
  @Test func aMissingNameThatAnotherImageFinds() throws {
    try fixture.library("lib/libb.so")
    let path = fixture.path("lib/liba.so")
    try fixture.library(
      "lib/liba.so", needs: ["lib/libb.so"], soname: path, flags: ["-Wl,-rpath,$ORIGIN"])
    let program = try fixture.program("program", needs: ["lib/liba.so", "lib/libb.so"])
    let tree = try compare(program)
    #expect(!tree.isComplete && tree.missing.map(\.name) == ["libb.so"])
    #expect(tree.scope[0].needed.map { $0.index == nil } == [false, true, false])
    #expect(tree.image("libb.so")?.path == fixture.path("lib/libb.so"))
  }

  // MARK: - Others' rights

  private func setMode(_ mode: Int, _ path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  /// Runs a program with others' rights, which root alone can; nil for others, and where the system
  /// gives no rights.
  private func runAsOther(_ program: String, mode: Int) throws -> ProcessResult? {
    var status = statvfs()
    guard
      getuid() == 0, statvfs(program, &status) == 0, status.f_flag & UInt(ST_NOSUID) == 0,
      try !String(contentsOfFile: "/proc/self/status", encoding: .utf8).contains("NoNewPrivs:\t1"),
      othersReach(program), chown(program, 65534, 65534) == 0
    else { return nil }
    // Another owner takes the rights away.
    try setMode(mode, program)
    return try run(program)
  }

  private func othersReach(_ path: String) -> Bool {
    var folder = URL(filePath: path).resolvingSymlinksInPath().deletingLastPathComponent()
    while folder.path != "/" {
      var status = stat()
      guard stat(folder.path, &status) == 0, status.st_mode & S_IXOTH != 0 else { return false }
      folder.deleteLastPathComponent()
    }
    return true
  }

  /// By the mode, whoever asks: the folder of a program with others' rights is its caller's choice.
  @Test(arguments: [0o4755, 0o2755])
  func originOfAProgramWithOthersRights(mode: Int) throws {
    try fixture.library("lib/liba.so")
    let program = try fixture.program(
      "program", needs: ["lib/liba.so"], flags: ["-Wl,-rpath,$ORIGIN/lib"])
    #expect(try compare(program).isComplete)
    try setMode(mode, program)
    #expect(try Tree([program]).missing.map(\.name) == ["liba.so"])
    // The environment does not count either.
    let variable = ["LD_LIBRARY_PATH": fixture.path("lib")]
    #expect(try !Tree([program], environment: variable).isComplete)
    if let result = try runAsOther(program, mode: mode) {
      #expect(result.status == 127 && result.errorOutput.contains("liba.so: cannot open"))
    }
    // Without the right to run it, the second is no right.
    try setMode(0o2745, program)
    #expect(try Tree([program]).isComplete)
  }

  /// Its libraries have a path that begins with their own folder, and no word elsewhere.
  @Test(arguments: [
    ("$ORIGIN", true), ("$ORIGIN/", true), ("/$ORIGIN", false), ("$ORIGIN.", false),
  ])
  func originOfALibrary(path: String, counts: Bool) throws {
    try fixture.library("lib/libb.so")
    try fixture.library("lib./libb.so")
    try fixture.library(
      "lib/liba.so", needs: ["lib/libb.so"], flags: ["-Wl,-rpath,\(path)"])
    let program = try fixture.program(
      "program", needs: ["lib/liba.so"], flags: ["-Wl,-rpath,\(fixture.path("lib"))"])
    // A library's DT_RUNPATH is its own.
    #expect(try compare(program).isComplete)
    try setMode(0o4755, program)
    #expect(try Tree([program]).isComplete == counts)
    if let result = try runAsOther(program, mode: 0o4755) {
      #expect(result.succeeded == counts)
    }
  }

  @Test func wordsInANeededName() throws {
    try fixture.library("lib/liba.so", soname: "$ORIGIN/lib/liba.so")
    let program = try fixture.program("program", needs: ["lib/liba.so"])
    #expect(try compare(program).isComplete)
    try setMode(0o4755, program)
    let missing = try Tree([program]).missing
    #expect(missing.first?.rejected.first?.message.contains("others' rights") == true)
    if let result = try runAsOther(program, mode: 0o4755) {
      #expect(result.errorOutput.contains("DST not allowed in SUID/SGID programs"))
    }
  }

  // MARK: - What is preloaded

  @Test func aMissingPreloadIsAWarning() throws {
    let program = try fixture.program("program")
    let witness = try run(program, environment: ["LD_PRELOAD": "libnowhere.so"])
    #expect(witness.succeeded && witness.errorOutput.contains("cannot be preloaded"))
    let arguments = ["--preload", "libnowhere.so", program]
    for subcommand in [["tree"], ["symbols", "--resolve"]] {
      let result = try inspect(subcommand + arguments)
      #expect(result.succeeded)
      #expect(
        result.errorOutput.hasPrefix(
          "rebind-inspect: \(program): libnowhere.so not found, to be preloaded"))
    }
    let tree = try Tree(arguments)
    #expect(tree.isComplete && tree.missing.map(\.isPreload) == [true])
  }

  // MARK: - musl's environment

  private static let musl = "/lib/ld-musl-x86_64.so.1"

  /// The libraries of a program that musl's loader is for, below the fixture's folder. That loader
  /// is the witness where it is installed.
  private func muslLibraries(
    _ program: String, preload: String = "", libraryPath: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Set<String> {
    let tree = try Tree(["--preload", preload, "--library-path", libraryPath, program])
    let paths = Set(tree.scope.dropFirst().map(\.path).filter { $0.hasSuffix(".so") })
    if FileManager.default.isExecutableFile(atPath: Self.musl) {
      let list = try run(
        Self.musl, ["--list", program],
        environment: ["LD_PRELOAD": preload, "LD_LIBRARY_PATH": libraryPath])
      let witness = list.output.split(separator: "\n").compactMap { line in
        line.split(separator: " ").dropFirst(2).first.map(String.init)
      }
      #expect(paths == Set(witness), sourceLocation: sourceLocation)
      #expect(tree.isComplete == list.succeeded, sourceLocation: sourceLocation)
    }
    return paths
  }

  private func muslFile(_ name: String, _ flags: [String]) throws -> String {
    try fixture.foreign(name, target: "x86_64-linux-musl", flags: ["--no-as-needed"] + flags)
  }

  /// musl preloads before it knows the program's search path: neither such a library nor those that
  /// it needs are looked for there. Any blank separates two.
  @Test func muslPreloads() throws {
    let libb = try muslFile("lib/libb.so", ["-shared", "-soname", "libb.so"])
    let liba = try muslFile("lib/liba.so", ["-shared", libb])
    let libc0 = try muslFile("lib/libc0.so", ["-shared", "-rpath", fixture.path("lib"), libb])
    let program = try muslFile(
      "program", ["-pie", "-dynamic-linker", Self.musl, "-rpath", fixture.path("lib")])
    #expect(try muslLibraries(program, preload: "libb.so") == [])
    #expect(try muslLibraries(program, preload: "/nowhere\t\(libb)\n") == [libb])
    #expect(try muslLibraries(program, preload: liba) == [liba])
    #expect(try muslLibraries(program, preload: libc0) == [libc0, libb])
  }

  /// In musl's `LD_LIBRARY_PATH` a dollar sign is one.
  @Test func muslReplacesNoWordsInTheEnvironment() throws {
    let libb = try muslFile("lib/libb.so", ["-shared", "-soname", "libb.so"])
    let program = try muslFile("program", ["-pie", "-dynamic-linker", Self.musl, libb])
    #expect(try muslLibraries(program, libraryPath: "$ORIGIN/lib") == [])
    #expect(try muslLibraries(program, libraryPath: fixture.path("lib")) == [libb])
    let odd = try fixture.write("$ORIGIN/libb.so", Data(contentsOf: URL(filePath: libb)))
    #expect(try muslLibraries(program, libraryPath: fixture.path("$ORIGIN")) == [odd])
  }

  // MARK: - Libraries that stand in for others

  private static let asking = "const char *which(void); int puts(const char *);"

  private func which(_ answer: String) -> String {
    "const char *which(void) { return \"\(answer)\"; }"
  }

  @Test(arguments: [("-f", "auxiliary"), ("-F", "filter")])
  func filters(option: String, kind: String) throws {
    try fixture.library("libc1.so")
    try fixture.library("libaux.so", which("stand-in"), needs: ["libc1.so"])
    try fixture.library(
      "liba.so", which("own"),
      flags: ["-Wl,\(option),libaux.so", "-Wl,-rpath,\(fixture.directory.url.path)"])
    try fixture.library("libb.so")
    let runPath = "-Wl,-rpath,\(fixture.directory.url.path)"
    let program = try fixture.program(
      "program", "\(Self.asking) __attribute__((constructor)) void say(void) { puts(which()); }",
      needs: ["liba.so", "libb.so"], flags: [runPath, "-Wl,--disable-new-dtags"])
    let tree = try compare(program)
    #expect(
      tree.scope.dropFirst().prefix(2).map(\.name) == ["libaux.so", "liba.so"] && tree.isComplete)
    #expect(tree.scope[1].loadedBy == 2)
    #expect(tree.scope[2].needed == [.init(name: "libaux.so", index: 1, kind: kind)])
    #expect(try run(program).output == "stand-in\n")
    let symbols = try inspect(["symbols", "--resolve", "--imports", "--name", "which", program])
    #expect(
      symbols.output.contains(" which \(fixture.path("libaux.so")) \(fixture.path("liba.so"))\n"))

    // A library that is there already is brought to the front.
    let both = try fixture.program(
      "both", needs: ["libb.so", "libaux.so", "liba.so"], flags: [runPath])
    _ = try compare(both)
    let late = try fixture.program(
      "late", needs: ["liba.so", "libaux.so", "libb.so"], flags: [runPath])
    _ = try compare(late)

    try fixture.delete("libaux.so")
    let incomplete = try Tree([program])
    #expect(incomplete.isComplete == (kind == "auxiliary"))
    #expect(incomplete.missing.isEmpty == (kind == "auxiliary"))
    #expect(try run(program).succeeded == (kind == "auxiliary"))
    let result = try inspect(["tree", program])
    #expect(result.succeeded == (kind == "auxiliary"))
    #expect(
      result.output.contains("2 libaux.so \(kind == "auxiliary" ? "absent" : "missing") - - -\n"))
    #expect(try inspect(["tree", "--as", "dot", program]).output.contains("digraph"))
  }

  /// Symbols are looked up in front of the library that is looked at.
  @Test func aFilterAlone() throws {
    let aux = try fixture.library("libaux.so", which("stand-in"))
    let library = try fixture.library(
      "liba.so", "\(which("own")) const char *call(void) { return which(); }",
      flags: ["-Wl,-f,libaux.so", "-Wl,-rpath,$ORIGIN"])
    let tree = try Tree([library])
    #expect(tree.scope.map(\.path) == [library, aux])
    let why = try inspect(["why", "which", "--library", "libaux.so", "--in", library])
    #expect(why.output.hasPrefix("has-slots - 1 "))
  }

  // MARK: - Folders for processors

  /// glibc up to 2.36 looks into these.
  @Test func legacyFolders() throws {
    try fixture.library("lib/liba.so")
    let program = try fixture.program(
      "program", needs: ["lib/liba.so"], flags: ["-Wl,-rpath,\(fixture.path("lib"))"])
    for folder in [
      "x86_64", "avx512_1", "haswell", "x86_64/x86_64", "haswell/x86_64",
      "haswell/avx512_1/x86_64", "tls", "tls/x86_64", "tls/haswell", "tls/haswell/x86_64",
      "tls/x86_64/x86_64", "glibc-hwcaps/x86-64-v2",
    ] {
      try fixture.library("lib/\(folder)/liba.so")
      _ = try compare(program)
    }
  }
}
