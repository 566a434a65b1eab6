import TestSupport

/// Set-up adds packages, and takes nothing away from the machine. apt and dpkg are played.
@Suite(.measured) struct BootstrapTests {
  private let folder: TemporaryDirectory
  private func path(_ name: String) -> String { folder.url.appending(path: name).path }

  /// - Parameters:
  ///   - missing: Packages that are not installed.
  ///   - objections: apt's answers when asked what it would do with a package, a line for each.
  private func bootstrap(
    _ stage: String, missing: [String], objections: [String: String] = [:], inCI: Bool = false
  ) throws -> ProcessResult {
    try write("missing", missing.joined(separator: "\n") + "\n")
    for (package, lines) in objections { try write("plan-\(package)", "\(lines)\n") }
    return try run(
      Places.package.appending(path: "Scripts/bootstrap").path, [stage],
      environment: [
        "PATH": "\(folder.url.path):/usr/bin:/bin", "CI": inCI ? "true" : "",
        "PLAYED": folder.url.path,
      ])
  }

  init() throws {
    folder = try TemporaryDirectory()
    try tool("id", "echo 0")
    try tool("swift", "")
    try tool(
      "dpkg-query",
      """
      for package; do :; done
      grep -qx "$package" "$PLAYED/missing" && exit 1
      echo installed
      """)
    try tool(
      "apt-get",
      """
      case " $* " in
      *" --simulate "*)
        for package; do cat "$PLAYED/plan-$package" 2>/dev/null; done >"$PLAYED/plan"
        cat "$PLAYED/plan"
        ! grep -q '^E: ' "$PLAYED/plan"
        ;;
      *) echo "$*" >>"$PLAYED/calls" ;;
      esac
      """)
  }

  /// The arguments of the calls of apt, but for questions.
  private func calls() -> [String] {
    let text = try? String(contentsOfFile: path("calls"), encoding: .utf8)
    return (text ?? "").split(separator: "\n").map(String.init)
  }

  @Test(arguments: ["build", "test", "cross", "abi"])
  func aMachineThatHasAllIsLeftAlone(stage: String) throws {
    let result = try bootstrap(stage, missing: [])
    #expect(result.succeeded && result.output.isEmpty && result.errorOutput.isEmpty)
    #expect(calls().isEmpty)
  }

  /// Where the toolchain lies in /usr, Debian's linker would be written over its own.
  @Test(arguments: [true, false]) func theToolchainsLinkerIsLeftAlone(isThere: Bool) throws {
    let tools = folder.url.appending(path: "usr/bin")
    try FileManager.default.createDirectory(at: tools, withIntermediateDirectories: true)
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "usr/lib/swift"), withIntermediateDirectories: true)
    if isThere { try tool("usr/bin/ld.lld", "") }
    try tool("swift", #"echo '"runtimeResourcePath": "\#(path("usr/lib/swift"))"'"#)
    let result = try bootstrap("test", missing: ["lld"])
    #expect(result.succeeded && result.output == (isThere ? "" : "bootstrap: installing lld\n"))
    #expect(calls().isEmpty == isThere)
  }

  @Test func whatIsMissingIsAddedAtOnce() throws {
    let result = try bootstrap("test", missing: ["elfutils", "strace"], inCI: true)
    #expect(result.succeeded && result.output == "bootstrap: installing elfutils strace\n")
    #expect(result.errorOutput.isEmpty)
    let installing = try #require(calls().last)
    #expect(calls().count == 2 && calls()[0].hasSuffix(" update"))
    #expect(installing.hasSuffix(" install elfutils strace"))
    for option in ["--no-remove", "--no-upgrade", "APT::Get::Upgrade-By-Source-Package=false"] {
      #expect(installing.contains(option))
    }
  }

  @Test(arguments: [
    ("Inst new (2 Debian)\nRemv gcc-multilib [4:12]", "it would remove gcc-multilib"),
    ("Inst libelf1 [0.187] (0.188 Debian)", "it would upgrade libelf1"),
    ("E: Unable to locate package strace", "Unable to locate package strace"),
  ])
  func whatCannotBeAddedAloneIsLeftOutByName(plan: String, why: String) throws {
    for inCI in [false, true] {
      let result = try bootstrap(
        "test", missing: ["elfutils", "strace", "zsh"], objections: ["strace": plan], inCI: inCI)
      #expect(result.output == "bootstrap: installing elfutils zsh\n")
      #expect(
        result.errorOutput == """
          bootstrap: strace is left out: \(why)
          bootstrap: to install it all the same: sudo apt-get install strace

          """)
      #expect(result.status == (inCI ? 1 : 0))
    }
    #expect(calls().filter { $0.contains(" strace") } == [])
    // Building goes on with all that it needs, or not at all.
    try write("plan-libelf-dev", plan + "\n")
    let build = try bootstrap("build", missing: ["libelf-dev"])
    #expect(build.status == 1 && build.errorOutput.contains("libelf-dev is left out: "))
  }

  /// `Scripts/fixtures run` goes on with the other machines, and tells which are not tested.
  @Test func machinesWithoutACompilerAreLeftOutByName() throws {
    let compiler = "s390x-linux-gnu-gcc"
    let result = try bootstrap(
      "cross", missing: ["gcc-s390x-linux-gnu"],
      objections: ["gcc-s390x-linux-gnu": "Remv gcc-multilib [4:12]"], inCI: true)
    #expect(result.succeeded && result.errorOutput.contains("would remove gcc-multilib\n"))

    let script = """
      import importlib.machinery, importlib.util, sys
      loader = importlib.machinery.SourceFileLoader("fixtures", sys.argv[1])
      fixtures = importlib.util.module_from_spec(importlib.util.spec_from_loader("fixtures", loader))
      loader.exec_module(fixtures)
      which = fixtures.shutil.which
      fixtures.shutil.which = lambda tool: None if tool == sys.argv[2] else which(tool)
      sys.exit(fixtures.run_machines(["s390x"]))
      """
    let cross = try run(
      Places.python,
      ["-B", "-c", script, Places.package.appending(path: "Scripts/fixtures").path, compiler],
      environment: [
        "PATH": "\(folder.url.path):/usr/bin:/bin", "PLAYED": folder.url.path, "CI": "",
      ])
    #expect(cross.output.contains("LEFT OUT s390x: \(compiler) is not installed\n"))
    #expect(cross.output.contains("not tested, as their tools are not installed: s390x\n"))
    #expect(cross.status == 1, "it was asked for by its name")
  }

  private func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path(name)))
  }

  private func tool(_ name: String, _ script: String) throws {
    try writeShellProgram(script, to: path(name))
  }
}
