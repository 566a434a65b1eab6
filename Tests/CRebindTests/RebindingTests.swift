import Foundation
import TestSupport
import Testing

/// Ways to link a program that change where its slots are and when they are bound.
struct LinkMode: Sendable, CustomTestStringConvertible {
  var name: String
  var flags: [String]
  var testDescription: String { name }

  static let all = common + ofThisMachine

  #if arch(x86_64)
    private static let ofThisMachine = [
      LinkMode(name: "IBT", flags: ["-fcf-protection=full", "-Wl,-z,lazy"])
    ]
    /// What readelf calls the three kinds of slots; it cuts long names.
    static let relocations = ["R_X86_64_JUMP_SLO", "R_X86_64_GLOB_DAT", "R_X86_64_64"]
  #else
    private static let ofThisMachine: [LinkMode] = []
    static let relocations = ["R_AARCH64_JUMP_SL", "R_AARCH64_GLOB_DA", "R_AARCH64_ABS64"]
  #endif

  private static let common = [
    LinkMode(name: "default", flags: []),
    LinkMode(name: "-z relro", flags: ["-Wl,-z,relro", "-Wl,-z,lazy"]),
    LinkMode(name: "-z norelro", flags: ["-Wl,-z,norelro", "-Wl,-z,lazy"]),
    LinkMode(name: "-z now", flags: ["-Wl,-z,relro", "-Wl,-z,now"]),
    LinkMode(name: "-no-pie", flags: ["-no-pie", "-fno-pie"]),
    LinkMode(name: "-fno-plt", flags: ["-fno-plt", "-O1"]),
    LinkMode(name: "lld", flags: ["-fuse-ld=lld", "-Wl,-z,lazy"]),
    // The dynamic table stays unrelocated under glibc.
    LinkMode(name: "-z rodynamic", flags: ["-fuse-ld=lld", "-Wl,-z,rodynamic"]),
    LinkMode(name: "DT_HASH only", flags: ["-Wl,--hash-style=sysv"]),
    LinkMode(name: "exports", flags: ["-rdynamic"]),
  ]
}

/// What the core does to slots, each case in a child process.
@Suite(.measured) struct RebindingTests {
  /// The hook runs at each of five calls of a function that was never called
  /// before, the maps stay as they were, and restoring ends it.
  @Test(arguments: Compiler.all, LinkMode.all)
  func hookRunsAtEachCall(compiler: Compiler, mode: LinkMode) throws {
    let builder = try FixtureBuilder(compiler)
    let program = try builder.build("calls", from: ["calls.c"], flags: mode.flags)
    try expect("the hook ran 5 of 5\n", from: program)
  }

  /// With everything bound at start no slot is lazy.
  @Test(arguments: ["", "1"])
  func hookRunsWhateverTheLoaderBinds(bindNow: String) throws {
    let builder = try FixtureBuilder(.gcc)
    let program = try builder.build("calls", from: ["calls.c"], flags: ["-Wl,-z,lazy"])
    let result = try run(program.path, environment: ["LD_BIND_NOW": bindNow])
    #expect(result.output == "the hook ran 5 of 5\n")
  }

  /// A symbol with a PLT slot, a GOT slot and a pointer in data: all are rebound.
  @Test(arguments: Compiler.all)
  func everySlotOfASymbolIsRebound(compiler: Compiler) throws {
    let builder = try FixtureBuilder(compiler)
    let program = try builder.build(
      "slot-kinds", from: ["slot-kinds.c"], flags: ["-fuse-ld=lld", "-fPIC"])
    // The fixture has the three kinds of slots that it speaks of.
    let relocations = try run("readelf", ["--relocs", "--wide", program.path]).output
    for type in LinkMode.relocations {
      #expect(
        relocations.split(separator: "\n").contains {
          $0.contains(type) && $0.contains("getppid")
        })
    }
    try expect("1 by jump slot, 1 by glob dat, 1 by absolute\n", from: program)
  }

  @Test(arguments: Compiler.all)
  func canonicalPLTEntryIsNoOriginal(compiler: Compiler) throws {
    let builder = try FixtureBuilder(compiler)
    try builder.buildLibrary("libcanonical.so", from: "canonical-plt-library.c")
    let program = try builder.build(
      "canonical-plt", from: ["canonical-plt.c"], flags: ["-no-pie", "-fno-pie"],
      libraries: ["-lcanonical", builder.runPath])
    // Undefined, but with a value: the canonical PLT entry that the test is about.
    let symbols = try run("readelf", ["--dyn-syms", "--wide", program.path]).output
    let row = symbols.split(separator: "\n").first { $0.contains("getppid") }
    #expect(row?.contains("UND") == true && row?.contains(" 0000000000000000 ") == false)
    try expect("no recursion\n", from: program)
  }

  @Test(arguments: Compiler.all, ["-static", "-static-pie"])
  func staticExecutableGetsAClearAnswer(compiler: Compiler, mode: String) throws {
    let builder = try FixtureBuilder(compiler)
    let program = try builder.build(
      "static", from: ["static.c"],
      flags: [mode, "-fuse-ld=bfd"] + (mode == "-static-pie" ? ["-fPIE"] : []))
    let result = try run(program.path)
    #expect(result.errorOutput == "")
    #expect(
      result.output == "the program is statically linked, so its calls go through no slots\n")
  }

  @Test(arguments: Compiler.all)
  func relroThatIsOpenStaysOpen(compiler: Compiler) throws {
    let builder = try FixtureBuilder(compiler)
    let program = try builder.build(
      "open-relro", from: ["open-relro.c"], flags: ["-Wl,-z,relro,-z,now"])
    try expect("left open\n", from: program)
  }

  @Test(arguments: Compiler.all)
  func theLoaderIsKnownHoweverItWasLoaded(compiler: Compiler) throws {
    let builder = try FixtureBuilder(compiler)
    try expect("the loader is known\n", from: builder.build("loader", from: ["loader.c"]))
  }

  @Test(arguments: Compiler.all)
  func badInputIsRefusedAndChangesNothing(compiler: Compiler) throws {
    let builder = try FixtureBuilder(compiler)
    let program = try builder.build("bad-input", from: ["bad-input.c"])
    try expect("refused\n", from: program)
  }

  /// Rebinding and restoring on one thread while others open, call and close.
  @Test(arguments: ["-Wl,-z,relro,-z,lazy", "-Wl,-z,relro,-z,now"])
  func imagesMayComeAndGoMeanwhile(flags: String) throws {
    let builder = try FixtureBuilder(.gcc)
    let plugins = try (1...3).map { number in
      try builder.buildLibrary("plugin\(number).so", from: "plugin.c", flags: [flags]).path
    }
    let program = try builder.build("concurrent", from: ["concurrent.c"], flags: ["-O1"])
    try expect("done\n", from: program, arguments: ["1000"] + plugins)
  }
}
