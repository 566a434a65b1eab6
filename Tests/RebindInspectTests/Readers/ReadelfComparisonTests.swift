import TestSupport

/// `symbols` says what readelf says.
@Suite(.needsCommands, .measured, .notInCheck) struct ReadelfComparisonTests {
  @Test(arguments: InstalledFile.allCases)
  func installedFile(_ file: InstalledFile) throws {
    try compare(file.path, try file.path, expectedSource: "SHT_DYNSYM")
  }

  static let targets = [
    "x86_64-linux-gnu", "i386-linux-gnu", "aarch64-linux-gnu", "aarch64_be-linux-gnu",
    "armv7-linux-gnueabihf", "powerpc-linux-gnu", "s390x-linux-gnu", "riscv64-linux-gnu",
  ]

  @Test(arguments: targets)
  func target(_ target: String) throws {
    let fixture = try BuiltFixture(target: target)
    try compare(fixture.path, fixture.path, expectedSource: "SHT_DYNSYM")
  }

  /// The dynamic table alone gives the same symbols.
  @Test(arguments: InstalledFile.allCases.filter { $0 != .clang })
  func installedFileWithoutSectionHeaders(_ file: InstalledFile) throws {
    let scratch = try TemporaryDirectory()
    let copy = scratch.url.appending(path: "copy")
    let path = try file.path
    try Data(contentsOf: URL(filePath: path)).withoutSectionHeaders().write(to: copy)
    try compare(copy.path, path)
  }

  @Test(arguments: targets)
  func targetWithoutSectionHeaders(_ target: String) throws {
    let fixture = try BuiltFixture(target: target)
    let copy = try fixture.write(fixture.bytes().withoutSectionHeaders(), as: "copy")
    try compare(copy, fixture.path, expectedSource: "DT_HASH")
  }

  @Test(arguments: targets)
  func targetWithGNUHashAlone(_ target: String) throws {
    let fixture = try BuiltFixture(target: target, hashStyle: "gnu")
    let copy = try fixture.write(fixture.bytes().withoutSectionHeaders(), as: "copy")
    try compare(copy, fixture.path, expectedSource: "DT_GNU_HASH")
  }

  /// The same as in an executable of GNU ld's that exports nothing: the hash table counts nothing,
  /// and the relocations name the imports.
  @Test func relocationsCountWhereTheHashTableDoesNot() throws {
    let fixture = try BuiltFixture(hashStyle: "gnu")
    var bytes = try fixture.bytes().withoutSectionHeaders()
    let table = try fixture.offset(ofSection: "GNU_HASH")
    // One symbol in front of the hashed ones, and no bucket in use.
    bytes.replaceSubrange(table + 4..<table + 8, with: [1, 0, 0, 0])
    let buckets = table + 16 + 8 * Int(bytes[table + 8])
    bytes.resetBytes(in: buckets..<buckets + 4 * Int(bytes[table]))

    let file = try #require(
      try Report([try fixture.write(bytes, as: "unhashed.so")]).files.first)
    let symbols = try #require(file.symbols)
    #expect(file.symbolSource == "relocations")
    #expect(symbols == Array(try readelfSymbols(fixture.path).prefix(symbols.count)))
    for name in ["provided_function", "provided_data", "absent_function"] {
      #expect(file.symbol(name) != nil)
    }
  }

  private func compare(_ path: String, _ witness: String, expectedSource: String? = nil) throws {
    let file = try #require(try Report([path]).files.first)
    let symbols = try #require(file.symbols, "\(file.error?.message ?? "")")
    let expected = try readelfSymbols(witness)
    #expect(!expected.isEmpty)
    #expect(symbols.count == expected.count)
    for (symbol, expected) in zip(symbols, expected) where symbol != expected {
      // One is enough: the rest are likely to be wrong the same way.
      #expect(symbol == expected)
      break
    }
    if let expectedSource { #expect(file.symbolSource == expectedSource) }
  }
}
