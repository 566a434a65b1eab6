@testable import ELFInspection
import Foundation
import TestSupport
import Testing

#if arch(x86_64)
private let isX86 = true
#else
private let isX86 = false
#endif

/// `tree` finds the libraries that the loader finds, and says why.
@Suite(.needsCommands, .measured) struct TreeTests {
  let fixture = DependencyFixture()

  /// Equal to the loader's own trace: names, paths and order.
  private func compare(
    _ program: String, options: [String] = [], environment: [String: String] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Tree {
    let tree = try Tree(options + [program], environment: environment)
    let trace = try loaderTrace(program, environment: environment)
    #expect(!trace.isEmpty, sourceLocation: sourceLocation)
    #expect(
      tree.libraries == trace.filter { $0.path != nil }, sourceLocation: sourceLocation)
    #expect(
      Set(tree.missing.filter { !$0.isPreload }.map(\.name))
        == Set(trace.filter { $0.path == nil }.map(\.name)), sourceLocation: sourceLocation)
    return tree
  }

  @Test(arguments: ["rebind-inspect", "open-close", "open-close-c"])
  func builtProgram(name: String) throws {
    let tree = try compare(Places.products.appending(path: name).path)
    #expect(tree.isComplete && tree.image("libc.so.6") != nil)
  }

  @Test(arguments: ["clang", "lld", "swift-frontend"])
  func toolchain(name: String) throws {
    let folder = URL(filePath: try InstalledFile.clang.path).resolvingSymlinksInPath()
      .deletingLastPathComponent()
    let tree = try compare(folder.appending(path: name).path)
    #expect(tree.isComplete && tree.scope.count > 3)
  }

  /// A program's `DT_RPATH` serves what its libraries need, its `DT_RUNPATH` does not.
  @Test func rpathServesLibrariesAndRunPathDoesNot() throws {
    try fixture.library("lib/libb.so")
    try fixture.library("lib/liba.so", needs: ["lib/libb.so"])
    let old = try fixture.program(
      "old", needs: ["lib/liba.so"],
      flags: ["-Wl,--disable-new-dtags", "-Wl,-rpath,\(fixture.path("lib"))"])
    let tree = try compare(old)
    let liba = try #require(tree.image("liba.so"))
    #expect(liba.reason == "rpath" && liba.reasonOf == 0)
    #expect(liba.reasonEntry == fixture.path("lib"))
    #expect(tree.image("libb.so")?.reasonOf == 0 && tree.image("libb.so")?.loadedBy == 1)

    let new = try fixture.program(
      "new", needs: ["lib/liba.so"],
      flags: ["-Wl,--enable-new-dtags", "-Wl,-rpath,\(fixture.path("lib"))"])
    let incomplete = try compare(new)
    #expect(incomplete.image("liba.so")?.reason == "runpath")
    #expect(incomplete.missing.map(\.name) == ["libb.so"])
    #expect(incomplete.missing[0].neededBy == 1 && !incomplete.isComplete)

    let result = try inspect(["tree", new])
    #expect(result.status == 1)
    #expect(
      result.errorOutput.hasPrefix(
        "rebind-inspect: \(new): libb.so not found, needed by \(fixture.path("lib/liba.so")); searched /"
      ))
    #expect(result.output.contains("2 libb.so missing - - -\n"))
  }

  /// A library with a `DT_RUNPATH` of its own takes none of its program's `DT_RPATH`.
  @Test func runPathOfALibraryHidesTheRpathOfItsProgram() throws {
    try fixture.library("lib/libb.so")
    try fixture.library(
      "lib/liba.so", needs: ["lib/libb.so"],
      flags: ["-Wl,--enable-new-dtags", "-Wl,-rpath,/nowhere"])
    let program = try fixture.program(
      "program", needs: ["lib/liba.so"],
      flags: ["-Wl,--disable-new-dtags", "-Wl,-rpath,\(fixture.path("lib"))"])
    #expect(try compare(program).missing.map(\.name) == ["libb.so"])
  }

  /// `DT_RPATH`, then the environment, then `DT_RUNPATH`.
  @Test(arguments: ["--disable-new-dtags", "--enable-new-dtags"])
  func environment(tags: String) throws {
    for folder in ["stated", "environment"] { try fixture.library("\(folder)/liba.so") }
    let program = try fixture.program(
      "program", needs: ["stated/liba.so"],
      flags: ["-Wl,\(tags)", "-Wl,-rpath,\(fixture.path("stated"))"])
    let variable = ["LD_LIBRARY_PATH": "/nowhere;\(fixture.path("environment"))"]
    let reason = tags == "--enable-new-dtags" ? "environment" : "rpath"
    #expect(try compare(program, environment: variable).image("liba.so")?.reason == reason)
    // The option is in place of the variable, and with another root the variable does not count.
    let option = try Tree(["--library-path", fixture.path("environment"), program])
    #expect(option.image("liba.so")?.reason == reason)
    let none = try Tree(["--library-path", "", program], environment: variable)
    #expect(none.image("liba.so")?.path == fixture.path("stated/liba.so"))
    let rooted = try Tree(["--root", "/", program], environment: variable)
    #expect(rooted.image("liba.so")?.path.hasSuffix("stated/liba.so") == true)
  }

  @Test(
    .enabled(if: isX86, "needs an x86-64 processor"),
    arguments: [
      ("$ORIGIN/lib", "lib"), ("${ORIGIN}/lib/", "lib"), ("/nowhere:$ORIGIN/x/../lib", "lib"),
      ("$ORIGIN/$LIBRARY:$ORIGIN/lib", "lib"),
    ])
  func tokens(path: String, folder: String) throws {
    try fixture.library("\(folder)/liba.so")
    try fixture.write("x/file", Data())
    let program = try fixture.program(
      "program", needs: ["\(folder)/liba.so"], flags: ["-Wl,-rpath,\(path)"])
    #expect(try compare(program).missing.isEmpty)
    // By a link, the program is where the link leads to.
    try fixture.write("elsewhere/file", Data())
    try fixture.link("elsewhere/program", to: "../program")
    #expect(try compare(fixture.path("elsewhere/program")).missing.isEmpty)
  }

  /// `$PLATFORM` is glibc's name of the processor, or else the kernel's.
  @Test(.enabled(if: isX86, "needs an x86-64 processor"))
  func platform() throws {
    for name in ["x86_64", "haswell", "xeon_phi"] { try fixture.library("\(name)/liba.so") }
    let program = try fixture.program(
      "program", needs: ["x86_64/liba.so"], flags: ["-Wl,-rpath,$ORIGIN/$PLATFORM"])
    #expect(try compare(program).missing.isEmpty)
  }

  @Test(arguments: [
    (["avx2", "bmi1", "bmi2", "abm", "movbe", "popcnt", "fma"], true, "haswell"),
    (["avx2", "bmi1", "bmi2", "abm", "movbe", "popcnt", "fma"], false, nil),
    (["avx2", "bmi1", "bmi2", "movbe", "popcnt", "fma"], true, nil),
    (["avx512cd", "avx512er", "avx512pf"], true, "xeon_phi"),
  ])
  func namesOfProcessors(flags: [String], isIntel: Bool, name: String?) {
    #expect(IntelPlatform(flags: Set(flags), isIntel: isIntel)?.rawValue == name)
  }

  @Test func aCircleEnds() throws {
    try fixture.library("libb.so")
    try fixture.library("liba.so", needs: ["libb.so"])
    try fixture.library("libb.so", needs: ["liba.so"])
    let program = try fixture.program(
      "program", needs: ["liba.so"],
      flags: ["-Wl,--disable-new-dtags", "-Wl,-rpath,\(fixture.directory.url.path)"])
    let tree = try compare(program)
    #expect(tree.isComplete)
    let lines = try inspect(["tree", program]).output.split(separator: "\n")
    #expect(
      lines.filter { $0.contains(" liba.so ") }.map { $0.hasSuffix("again") } == [false, true])
  }

  /// One file with two names is one image.
  @Test func aLibraryIsLoadedOnce() throws {
    try fixture.library("liba.so", soname: "")
    try fixture.link("libalias.so", to: "liba.so")
    let program = try fixture.program(
      "program", needs: ["liba.so", "libalias.so", fixture.path("liba.so")],
      flags: ["-L.", "-Wl,-rpath,\(fixture.directory.url.path)"])
    let tree = try compare(program)
    #expect(Set(tree.scope[0].needed.dropLast().map(\.index)).count == 1)
  }

  @Test func missingVersions() throws {
    let map = try fixture.write("two.map", Data("V1 { a; }; V2 { b; };".utf8))
    let less = try fixture.write("one.map", Data("V1 { a; b; };".utf8))
    let source = "void a(void) {} void b(void) {}"
    try fixture.library("liba.so", source, flags: ["-Wl,--version-script=\(map)"])
    let program = try fixture.program(
      "program", "void a(void), b(void); void use(void) { a(); b(); }", needs: ["liba.so"],
      flags: ["-Wl,-rpath,\(fixture.directory.url.path)"])
    #expect(try compare(program).isComplete)

    try fixture.library("liba.so", source, flags: ["-Wl,--version-script=\(less)"])
    let tree = try compare(program)
    #expect(
      tree.scope[0].neededVersions.filter { $0.library == "liba.so" }.map {
        [$0.version, $0.status]
      }
      .sorted { $0[0] < $1[0] } == [["V1", "found"], ["V2", "missing"]])
    let result = try inspect(["tree", program])
    let library = fixture.path("liba.so")
    #expect(result.status == 1)
    #expect(
      result.errorOutput
        == "rebind-inspect: \(program): version V2 not found in \(library), needed by \(program)\n")
    #expect(result.output.contains("1 liba.so runpath \(program) \(library) lacks:V2\n"))
    // The loader says the same.
    let witness = try run(program)
    #expect(witness.status == 1 && witness.errorOutput.contains("version `V2' not found"))

    try fixture.library("liba.so", source)
    let unversioned = try inspect(["tree", program])
    #expect(unversioned.succeeded && unversioned.output.contains("\(library) unversioned\n"))
  }

  /// A library for another machine is passed over, a broken file is not.
  @Test func filesThatCannotBeLoaded() throws {
    try fixture.library("second/liba.so")
    let program = try fixture.program(
      "program", needs: ["second/liba.so"],
      flags: ["-Wl,-rpath,\(fixture.path("first")):\(fixture.path("second"))"])
    for target in ["i386-linux-gnu", "riscv64-linux-gnu"] {
      try fixture.foreign("first/liba.so", target: target, flags: ["-shared"])
      #expect(try compare(program).image("liba.so")?.path == fixture.path("second/liba.so"))
    }
    try fixture.write("first/liba.so", Data("no library".utf8))
    let tree = try Tree([program])
    #expect(tree.missing.map(\.name) == ["liba.so"])
    #expect(
      tree.missing[0].rejected == [
        .init(path: fixture.path("first/liba.so"), message: "not an ELF file")
      ])
    let witness = try run(program)
    #expect(
      witness.errorOutput.contains("first/liba.so: file too short")
        || witness.errorOutput.contains("invalid ELF header"))
  }

  /// A file that is no library ends the search, as in the loader.
  @Test(arguments: [
    (["-pie", "-fPIE"], "is a position-independent program, not a library"),
    (["-static-pie", "-fPIE"], "is a position-independent program, not a library"),
    (["-no-pie", "-fno-pie"], "is a program, not a library"),
    (["-static"], "is a program, not a library"),
    (["-r"], "is an object file, not a library"),
  ])
  func filesThatAreNoLibraries(flags: [String], why: String) throws {
    try fixture.library("second/liba.so")
    let program = try fixture.program(
      "program", needs: ["second/liba.so"],
      flags: ["-Wl,-rpath,\(fixture.path("first")):\(fixture.path("second"))"])
    try fixture.program("first/liba.so", flags: flags)
    let tree = try Tree([program])
    #expect(!tree.isComplete && tree.missing.map(\.name) == ["liba.so"])
    #expect(
      tree.missing.first?.rejected == [.init(path: fixture.path("first/liba.so"), message: why)])
    let witness = try run(program)
    #expect(witness.status == 127 && witness.errorOutput.contains("ET_DYN") == (flags == ["-r"]))
    let result = try inspect(["tree", program])
    #expect(result.status == 1 && result.output.contains("1 liba.so missing - - -\n"))
  }

  /// The loader does not know its own program again.
  @Test(arguments: [true, false])
  func aProgramIsNotItsOwnLibrary(byPath: Bool) throws {
    let name = byPath ? fixture.path("program") : "program"
    try fixture.library("program", soname: name)
    try fixture.library("liba.so", needs: ["program"], flags: ["-Wl,-rpath,$ORIGIN"])
    let program = try fixture.program(
      "program", needs: ["liba.so"],
      flags: ["-pie", "-fPIE", "-Wl,-rpath,\(fixture.directory.url.path)"])
    #expect(try Tree([program]).missing.map(\.name) == [name])
    let witness = try run(program)
    #expect(witness.errorOutput.contains("cannot dynamically load position-independent executable"))
  }

  @Test func aLoaderThatIsNotThere() throws {
    let program = try fixture.program("program", flags: ["-Wl,--dynamic-linker=/nowhere/ld.so"])
    let tree = try Tree([program])
    #expect(!tree.isComplete && tree.interpreterProblem == "No such file or directory")
    let result = try inspect(["tree", program])
    #expect(result.status == 1)
    #expect(
      result.errorOutput.hasPrefix(
        "rebind-inspect: \(program): interpreter /nowhere/ld.so: No such file or directory\n"))
    #expect(result.output.hasPrefix("0 \(program) - - \(program) no-interpreter\n"))
    try fixture.foreign("ld.so", target: "i386-linux-gnu", flags: ["-shared"])
    let other = try fixture.program(
      "other", flags: ["-Wl,--dynamic-linker=\(fixture.path("ld.so"))"])
    #expect(try Tree([other]).interpreterProblem?.hasPrefix("is for 32-bit ") == true)
    #expect(try Tree([try fixture.program("right")]).interpreterProblem == nil)
  }

  @Test func roots() throws {
    let program = try fixture.program("program")
    #expect(
      try Tree(["--root", "/", program]).scope.map(\.path) == Tree([program]).scope.map(\.path))
    for root in ["/nowhere", program] {
      let result = try inspect(["tree", "--root", root, program])
      #expect(result.status == 64 && result.output.isEmpty)
      #expect(result.errorOutput.contains("--root \(root): "))
    }
  }

  @Test func foldersForBetterProcessors() throws {
    for folder in ["lib", "lib/glibc-hwcaps/x86-64-v2", "lib/glibc-hwcaps/x86-64-v3"] {
      try fixture.library("\(folder)/liba.so")
    }
    let program = try fixture.program(
      "program", needs: ["lib/liba.so"], flags: ["-Wl,-rpath,\(fixture.path("lib"))"])
    _ = try compare(program)
  }

  @Test func preloads() throws {
    for name in ["liba.so", "libb.so", "libhook.so"] { try fixture.library(name) }
    try fixture.library("libhook.so", needs: ["libb.so"], flags: ["-Wl,-rpath,$ORIGIN"])
    let program = try fixture.program(
      "program", needs: ["liba.so"], flags: ["-Wl,-rpath,\(fixture.directory.url.path)"])
    let hook = fixture.path("libhook.so")
    let trace = try loaderTrace(program, environment: ["LD_PRELOAD": hook])
    let tree = try Tree(["--preload", "\(hook):libnowhere.so", program])
    #expect(tree.libraries.map(\.path) == trace.map(\.path))
    #expect(tree.scope[1].path == hook && tree.scope[1].isPreloaded)
    #expect(tree.missing.map(\.name) == ["libnowhere.so"] && tree.missing[0].isPreload)
    let lines = try inspect(["tree", "--preload", hook, program]).output.split(separator: "\n")
    #expect(lines[1] == "1 \(hook) preload - \(hook) -")
  }

  @Test func formats() throws {
    try fixture.library("lib/libb.so")
    try fixture.library("lib/liba.so", needs: ["lib/libb.so"])
    let program = try fixture.program(
      "program", needs: ["lib/liba.so"], flags: ["-Wl,-rpath,\(fixture.path("lib"))"])
    let dot = try inspect(["tree", "--as", "dot", program]).output
    #expect(
      dot.hasPrefix("digraph dependencies {\n  node [shape=box];\n  n0 [label=\"\(program)\"];\n"))
    #expect(dot.contains(" [label=\"libb.so\", color=red, style=dashed];\n"))
    #expect(dot.contains("  n0 -> n1;\n") && dot.hasSuffix("}\n"))
    let mermaid = try inspect(["tree", "--as", "mermaid", program]).output
    #expect(mermaid.hasPrefix("flowchart TD\n  n0[\"\(program)\"]\n  n1[\"liba.so\"]\n"))
    #expect(mermaid.contains("  n1 --> n") && mermaid.contains(" missing\n"))
    #expect(try inspect(["tree", "--as", "dot", "--format", "json", program]).status == 64)
    #expect(try inspect(["tree", "--as", "mermaid", program, program]).status == 64)

    // Libraries of notes: one that is loaded anyway, and one that is not, which two images name.
    let note = RequiresTests.note(
      #"[{"soname":["libz.so.1","libz-ng.so.1"],"priority":"suggested"},{"soname":["libnoted.so"]}]"#
    )
    try fixture.library("lib/libnoted.so", note)
    let noting = try fixture.library(
      "libnoting.so", note, needs: ["lib/libnoted.so"], flags: ["-Wl,-rpath,\(fixture.path("lib"))"]
    )
    let picture = try inspect(["tree", "--as", "dot", noting]).output
    #expect(picture.contains("  n2 [label=\"libz.so.1|libz-ng.so.1\", style=dashed];\n"))
    for edge in ["n0 -> n2", "n1 -> n2"] {
      #expect(picture.contains("  \(edge) [style=dashed, label=\"dlopen: suggested\"];\n"))
    }
    #expect(picture.contains("  n0 -> n1 [style=dashed, label=\"dlopen: recommended\"];\n"))
    let flowchart = try inspect(["tree", "--as", "mermaid", noting]).output
    #expect(flowchart.contains("  n0 -.->|\"dlopen: suggested\"| n2\n"))
    #expect(!flowchart.contains("missing"))

    let terminal = try inspectOnTerminal(["tree", program], environment: ["NO_COLOR": "1"]).output
    #expect(terminal.hasPrefix("DEPTH NAME") && terminal.contains("\r\n    1   liba.so "))
  }

  /// Nothing that a loader loads.
  @Test func filesWithoutLibraries() throws {
    let source = Places.fixture("inspect-provider.c").path
    try fixture.compile("gcc", ["-c", source, "-o", "object.o"])
    let result = try inspect(["tree", fixture.path("object.o"), "/nowhere"])
    #expect(
      result.output.contains("0 \(fixture.path("object.o")) - - \(fixture.path("object.o")) -\n"))
    #expect(result.status == 2)
    #expect(result.errorOutput == "rebind-inspect: /nowhere: No such file or directory\n")
  }
}
