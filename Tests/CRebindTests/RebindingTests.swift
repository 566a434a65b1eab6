import TestSupport

/// Fixtures whose programs have to be linked as they say: readelf tells whether they are.
@Suite(.measured) struct RebindingTests {
  #if arch(x86_64)
  /// readelf's names for the three kinds of slots; it cuts long names.
  static let relocations = ["R_X86_64_JUMP_SLO", "R_X86_64_GLOB_DAT", "R_X86_64_64"]
  #else
  static let relocations = ["R_AARCH64_JUMP_SL", "R_AARCH64_GLOB_DA", "R_AARCH64_ABS64"]
  #endif

  /// A symbol with a PLT slot, a GOT slot and a pointer in data: all are rebound.
  @Test(arguments: Compiler.all)
  func everySlotOfASymbolIsRebound(compiler: Compiler) throws {
    let fixture = try Fixture.named("slot-kinds, lld", by: compiler)
    // The fixture has the three kinds of slots that it speaks of.
    let relocations = try run("readelf", ["--relocs", "--wide", fixture.program.path]).output
    for type in Self.relocations {
      #expect(
        relocations.split(separator: "\n").contains {
          $0.contains(type) && $0.contains("getppid")
        })
    }
    #expect(try fixture.run().output == "1 by jump slot, 1 by glob dat, 1 by absolute\n")
  }

  @Test(arguments: Compiler.all)
  func canonicalPLTEntryIsNoOriginal(compiler: Compiler) throws {
    let fixture = try Fixture.named("canonical-plt", by: compiler)
    // Undefined, but with a value: the canonical PLT entry that the test is about.
    let symbols = try run("readelf", ["--dyn-syms", "--wide", fixture.program.path]).output
    let row = symbols.split(separator: "\n").first { $0.contains("getppid") }
    #expect(row?.contains("UND") == true && row?.contains(" 0000000000000000 ") == false)
  }

  @Test(arguments: Compiler.all)
  func slotsOfHiddenSymbolsAreNotForeign(compiler: Compiler) throws {
    let fixture = try Fixture.named("audit, gold", by: compiler)
    let relocations = try run("readelf", ["-rW", fixture.program.path]).output
    #expect(relocations.contains("__start_absent"))
  }
}
