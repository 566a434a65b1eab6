import TestSupport

/// The traps that compilers and linkers set for sections that are filled by hand, and that a reader
/// has to expect: Documentation/ABI/Annotations.md has the table.
@Suite(.measured) struct SectionTrapTests {
  /// gcc aligns a record of 32 bytes and more to 32, unless it is told, and puts the last one
  /// first when it optimises.
  @Test func gccLeavesHolesAndTurnsRoundTheOrder() throws {
    #expect(try stride(.gcc, ["-O0"]) == "64\n")
    #expect(try stride(.gcc, ["-O0", "-DALIGNED=,aligned(8)"]) == "40\n")
    #expect(try stride(.gcc, ["-O1", "-DALIGNED=,aligned(8)"]) == "-40\n")
    #expect(try stride(.gcc, ["-O1", "-DALIGNED=,aligned(8),no_reorder"]) == "40\n")
    #expect(try stride(.clang, ["-O1"]) == "40\n")
  }

  /// clang's AddressSanitizer puts padding behind each variable of a section whose name is no
  /// C identifier.
  @Test func addressSanitizerPadsSectionsWithoutAStart() throws {
    let flags = ["-fsanitize=address", "-fuse-ld=bfd", "-DALIGNED=,aligned(8)"]
    #expect(try stride(.clang, flags) == "40\n")
    #expect(try stride(.clang, flags, section: ".entries") == "96\n")
  }

  /// `used` is for the compiler, `retain` for the linker.
  @Test(arguments: Linker.available)
  func aLinkerDropsWhatIsNotRetained(linker: Linker) throws {
    let flags = ["-DUNUSED", "-O1", "-Wl,--gc-sections"] + linker.flags
    let isDropped = linker == .lld
    #expect(try output(.gcc, flags + ["-DKEPT=used"]) == (isDropped ? "0\n" : "2\n"))
    #expect(try output(.gcc, flags + ["-DKEPT=used,retain"]) == "2\n")
  }

  /// gold gives a hidden weak start an address, even without a section.
  @Test(arguments: Linker.available)
  func aStartWithoutSectionIsNotAlwaysNull(linker: Linker) throws {
    let flags = ["-DWEAK", "-fPIE", "-pie"] + linker.flags
    #expect(try output(.gcc, flags) == "null\n")
    #expect(
      try output(.gcc, flags + ["-DHIDDEN"]) == (linker == .gold ? "not null\n" : "null\n"))
  }

  private func stride(
    _ compiler: Compiler, _ flags: [String], section: String = "entries"
  ) throws -> String {
    try output(compiler, ["-DSTRIDE"] + flags, section: section)
  }

  private func output(
    _ compiler: Compiler, _ flags: [String], section: String = "entries"
  ) throws -> String {
    let builder = try FixtureBuilder(compiler)
    let program = try builder.build(
      "section-padding", from: ["section-padding.c"], flags: ["-DSECTION=\"\(section)\""] + flags,
      withCore: false)
    return try run(program.path).output
  }
}
