import Foundation
import TestSupport
import Testing

/// Batches: chains, selection, originals, images to come, audit and diagnosis; and
/// what the loaded images hold.
/// Each case is a fixture that checks by itself and prints one line.
@Suite(.measured) struct LifecycleTests {
  /// When the slots of the fixture's libraries are bound.
  static let bindings = ["-Wl,-z,lazy", "-Wl,-z,now"]

  @Test(arguments: Compiler.all, bindings)
  func chainIsRemovableInAnyOrder(compiler: Compiler, binding: String) throws {
    let builder = try FixtureBuilder(compiler)
    try expect(
      "6 orders\n", from: builder.build("chain", from: ["chain.c"], flags: [binding]))
  }

  @Test(arguments: Compiler.all)
  func restoreTellsOfWhatStandsBetweenTwoBatches(compiler: Compiler) throws {
    let builder = try FixtureBuilder(compiler)
    try expect(
      "told\n",
      from: builder.build("between", from: ["between.c"], flags: ["-Wl,-z,lazy,-z,norelro"]))
  }

  @Test(arguments: bindings)
  func timeGrowsWithTheNumberOfNames(binding: String) throws {
    let builder = try FixtureBuilder(.gcc)
    try builder.buildLibrary("libmany.so", from: "many-names.c", flags: ["-DLIBRARY"])
    let caller = try builder.buildLibrary(
      "caller.so", from: "many-names.c", flags: ["-DCALLER", binding],
      libraries: ["-lmany", builder.runPath])
    let program = try builder.build(
      "many-names", from: ["many-names.c"], flags: ["-Wl,--no-as-needed"],
      libraries: ["-lmany", builder.runPath])
    try expect("in proportion\n", from: program, arguments: [caller.path])
  }

  @Test(arguments: Compiler.all, bindings)
  func slotsAreSelectedByVersionLibraryAndImage(compiler: Compiler, binding: String) throws {
    let builder = try FixtureBuilder(compiler)
    try builder.buildNumberLibraries(binding: binding)
    try expect(
      "selected\n",
      from: builder.build("selection", from: ["selection.c"], libraries: [builder.runPath]))
  }

  /// A library's own definition is the original with -Bsymbolic, and not without.
  @Test(arguments: Compiler.all, [true, false])
  func originalIsWhatTheLoaderWouldBind(compiler: Compiler, isSymbolic: Bool) throws {
    let builder = try FixtureBuilder(compiler)
    try builder.buildLibrary(
      "libinterposed.so", from: "originals-library.c",
      flags: ["-Wl,-z,lazy", "-DVALUE=2", "-DCALLER=call_interposed", "-DWITH_IFUNC"])
    try builder.buildLibrary(
      "libsymbolic.so", from: "originals-library.c",
      flags: ["-Wl,-z,lazy", "-DVALUE=3", "-DCALLER=call_symbolic"]
        + (isSymbolic ? ["-Wl,-Bsymbolic"] : []))
    // With -Bsymbolic the linker leaves no slot to rebind.
    try expect(
      "originals\n",
      from: builder.build(
        "originals", from: ["originals.c"],
        flags: ["-rdynamic", "-DSYMBOLIC=\(isSymbolic ? 0 : 1)"], libraries: [builder.runPath]))
  }

  @Test(arguments: Compiler.all)
  func onlyWhatIsOpenedGloballyIsInTheGlobalScope(compiler: Compiler) throws {
    let builder = try FixtureBuilder(compiler)
    try builder.buildLibrary(
      "libplain.so", from: "selection-library.c", flags: ["-DRESULT=3", "-nostdlib"])
    try builder.buildLibrary("libweak.so", from: "global-weak.c", flags: ["-Wl,-z,lazy"])
    try expect(
      "global\n",
      from: builder.build("global", from: ["global.c"], libraries: [builder.runPath]))
  }

  @Test(arguments: Compiler.all)
  func whatIsOpenedGloballyGoesBeforeOwnDependencies(compiler: Compiler) throws {
    let builder = try FixtureBuilder(compiler)
    for (name, flags, needed) in [
      ("else", ["-DLIBRARY", "-DELSEWHERE"], []),
      ("own", ["-DLIBRARY", "-DNUMBER=9"], []),
      ("first", ["-DLIBRARY", "-DNUMBER=1", "-DOTHER=5", "-DPICKED"], ["else"]),
      ("second", ["-DLIBRARY", "-DNUMBER=2"], []),
      ("early", ["-DCALLER"], ["own"]),
      ("both", ["-DCALLER", "-Wl,--no-as-needed", "-Wl,-z,lazy"], ["own", "second"]),
      ("caller", ["-DCALLER", "-DOTHER", "-DPICKED", "-Wl,-z,lazy"], ["own"]),
    ] {
      try builder.buildLibrary(
        "\(name).so", from: "scope-order.c", flags: flags,
        libraries: needed.map { "-l:\($0).so" } + [builder.runPath])
    }
    try expect(
      "in order\n",
      from: builder.build(
        "scope-order", from: ["scope-order.c"], flags: ["-DPICKED"],
        libraries: [builder.runPath]))
  }

  @Test func whatIsPreloadedIsInTheGlobalScope() throws {
    let builder = try FixtureBuilder(.gcc)
    let libraries = try [
      ("libneeded.so", []), ("libnumber.so", ["-DNUMBER=1"]), ("extra.so", ["-DNUMBER=2"]),
    ].map { name, flags in
      try builder.buildLibrary(name, from: "preload-order.c", flags: ["-DLIBRARY"] + flags).path
    }
    let program = try builder.build(
      "preload-order", from: ["preload-order.c"],
      flags: ["-Wl,--no-as-needed", "-Wl,-z,lazy"],
      libraries: ["-lneeded", "-lnumber", builder.runPath])
    try expect("preloaded\n", from: program, arguments: [libraries[0], libraries[2]])
  }

  /// With versions, or under another name.
  @Test(arguments: Compiler.all)
  func librariesMayBeBuiltAgainAfterTheirCallers(compiler: Compiler) throws {
    let builder = try FixtureBuilder(compiler)
    let before = builder.directory.url.appending(path: "before")
    try FileManager.default.createDirectory(at: before, withIntermediateDirectories: true)
    let map = Places.fixtures.appending(path: "selection-library.map").path
    for (name, flags) in [
      ("before/libnumber", ["-DNUMBER=0"]), ("before/librenamed", ["-DNUMBER=0"]),
      ("libnumber", ["-DVERSIONED", "-Wl,--version-script=\(map)"]),
      ("librenamed", ["-DNUMBER=3", "-Wl,-soname,libelse.so"]), ("plugin", ["-DNUMBER=5"]),
    ] {
      try builder.buildLibrary("\(name).so", from: "relinked.c", flags: ["-DLIBRARY"] + flags)
    }
    for (name, flags, library) in [
      ("unversioned", [], "before/libnumber"), ("renamed", [], "before/librenamed"),
      ("old", ["-DOLD_VERSION"], "libnumber"),
    ] {
      try builder.buildLibrary(
        "\(name)-caller.so", from: "relinked.c", flags: ["-DCALLER", "-Wl,-z,lazy"] + flags,
        libraries: [
          builder.directory.url.appending(path: "\(library).so").path, "-Wl,-rpath,$ORIGIN",
        ])
    }
    try expect(
      "rebound\n",
      from: builder.build("relinked", from: ["relinked.c"], libraries: [builder.runPath]))
  }

  @Test(arguments: Compiler.all, [[], ["-no-pie", "-fno-pie"], ["-Wl,-z,now"]])
  func imagesToComeAreReached(compiler: Compiler, flags: [String]) throws {
    let builder = try FixtureBuilder(compiler)
    let plugin = try builder.buildLibrary("plugin.so", from: "later-plugin.c")
    let program = try builder.build("later", from: ["later.c"], flags: flags)
    let result = try run(program.path, [plugin.path])
    #expect(result.errorOutput == "")
    #expect(result.output.hasPrefix("later images"))
  }

  @Test(arguments: bindings)
  func imagesToComeAreReachedWithoutResolversLeft(binding: String) throws {
    let builder = try FixtureBuilder(.gcc)
    try builder.buildLibrary("libpicks.so", from: "many-ifuncs.c", flags: ["-DLIBRARY"])
    let caller = try builder.buildLibrary(
      "caller.so", from: "many-ifuncs.c", flags: ["-DCALLER", binding],
      libraries: ["-lpicks", builder.runPath])
    let program = try builder.build(
      "many-ifuncs", from: ["many-ifuncs.c"], flags: ["-Wl,--no-as-needed"],
      libraries: ["-lpicks", builder.runPath])
    try expect("all reached\n", from: program, arguments: [caller.path])
  }

  @Test func otherNamespacesAreLeftAlone() throws {
    let builder = try FixtureBuilder(.gcc)
    let plugin = try builder.buildLibrary("plugin.so", from: "later-plugin.c")
    try expect(
      "left alone\n", from: builder.build("namespace", from: ["namespace.c"]),
      arguments: [plugin.path])
  }

  @Test(arguments: Compiler.all)
  func imagesThatComeAndGoAreNoticed(compiler: Compiler) throws {
    let builder = try FixtureBuilder(compiler)
    let deep = builder.directory.url.appending(path: "deep")
    try FileManager.default.createDirectory(at: deep, withIntermediateDirectories: true)
    for (name, flags) in [
      ("liblatecaller", ["-DCALLER"]), ("libbroken", ["-DCALLER"]), ("libnamed", []),
      ("real", ["-Wl,-soname,libnamed.so"]),
    ] {
      try builder.buildLibrary("deep/\(name).so", from: "notice-late.c", flags: flags)
    }
    try builder.buildLibrary(
      "deep/liblate.so", from: "notice-late.c", flags: ["-Wl,--no-as-needed"],
      libraries: ["-L\(deep.path)", "-l:liblatecaller.so", "-Wl,-rpath,$ORIGIN"])
    try builder.buildLibrary(
      "libopener.so", from: "notice-opener.c",
      libraries: ["-Wl,-rpath,$ORIGIN/decoys:$ORIGIN/deep"])
    try expect(
      "noticed\n",
      from: builder.build("notice", from: ["notice.c"], libraries: [builder.runPath]))
  }

  @Test(arguments: Compiler.all, bindings)
  func foreignSlotsAreFound(compiler: Compiler, binding: String) throws {
    let builder = try FixtureBuilder(compiler)
    let program = try builder.build(
      "audit", from: ["audit.c"], flags: [binding, "-rdynamic"])
    try expect("audited\n", from: program)
    let preloaded = try builder.buildLibrary("libpreloaded.so", from: "preloaded.c")
    try expect("audited\n", from: program, environment: ["LD_PRELOAD": preloaded.path])
  }

  @Test(arguments: [Compiler.gcc, .clang])
  func slotsOfHiddenSymbolsAreNotForeign(compiler: Compiler) throws {
    let builder = try FixtureBuilder(compiler)
    let program = try builder.build(
      "audit", from: ["audit.c"], flags: ["-rdynamic", "-fuse-ld=gold"])
    let relocations = try run("readelf", ["-rW", program.path]).output
    try #require(relocations.contains("__start_absent"))
    try expect("audited\n", from: program)
  }

  @Test(arguments: Compiler.all, bindings)
  func imagesAreDescribed(compiler: Compiler, binding: String) throws {
    let builder = try FixtureBuilder(compiler)
    for flags in [[], ["-rdynamic"], ["-rdynamic", "-no-pie", "-fno-pie"]] {
      let program = try builder.build("images", from: ["images.c"], flags: [binding] + flags)
      try expect("looked\n", from: program, arguments: flags.isEmpty ? [] : ["exports"])
    }
  }

  @Test(arguments: Compiler.all)
  func everyReasonIsGiven(compiler: Compiler) throws {
    let builder = try FixtureBuilder(compiler)
    try builder.buildNumberLibraries(binding: "-Wl,-z,lazy")
    try builder.buildLibrary(
      "libsymbolic.so", from: "originals-library.c",
      flags: ["-Wl,-Bsymbolic", "-DVALUE=3", "-DCALLER=call_symbolic"])
    try builder.buildLibrary("liblarge.so", from: "diagnose-large.c")
    try expect(
      "diagnosed\n",
      from: builder.build("diagnose", from: ["diagnose.c"], libraries: [builder.runPath]))
  }
}
