import TestSupport

/// The subcommands that show tables say what readelf says.
@Suite(.needsCommands, .measured, .notInCheck) struct TableComparisonTests {
  static let subcommands = ["sections", "segments", "dynamic", "notes", "relocations"]

  @Test(arguments: subcommands, InstalledFile.compared)
  func installedFile(subcommand: String, file: InstalledFile) throws {
    try compare(subcommand, [try file.path])
  }

  /// The toolchain's own libraries, which differ as libraries of a machine do, and C++'s.
  @Test(arguments: ["readelf", "eu-readelf"])
  func libraries(reader: String) throws {
    let libraries = try InstalledFile.toolchainLibraries().enumerated()
      .filter { $0.offset % (isInnerLoop ? 4 : 1) == 0 }.map(\.element)
    try compare(with: reader, libraries + [InstalledFile.libstdcxx()])
  }

  /// elfutils' reader says the same as binutils'.
  @Test func anotherWitness() throws {
    try compare(with: "eu-readelf", try InstalledFile.compared.map { try $0.path })
  }

  /// Stripped, it has relocations and no symbols.
  @Test(arguments: ["readelf", "eu-readelf"])
  func staticProgram(reader: String) throws {
    let files = try WitnessFiles()
    let path = try files.built("int main(void) { return 0; }", flags: ["-static", "-s"])
    try compare(with: reader, [path])
    withExtendedLifetime(files) {}
  }

  static let targets =
    ReadelfComparisonTests.targets + [
      "powerpc64-linux-gnu", "powerpc64le-linux-gnu", "mips-linux-gnu", "mips64el-linux-gnuabi64",
    ]

  /// Object files of all machines that the compiler knows, and linked ones of those that the other
  /// comparisons have.
  @Test(arguments: targets)
  func target(_ target: String) throws {
    let builder = try FixtureBuilder(.clang)
    func path(_ name: String) -> String { builder.directory.url.appending(path: name).path }
    var objects = try ["inspect-symbols", "file-foreign", "file-notes"].map {
      path(try builder.compile($0, for: target))
    }
    if ReadelfComparisonTests.targets.contains(target) {
      let fixture = try BuiltFixture(target: target)
      try builder.link(["-shared", objects[1], objects[2], "-o", "libforeign.so"])
      objects += [fixture.path, path("libforeign.so")]
      try compare(with: "readelf", objects)
      withExtendedLifetime(fixture) {}
    } else {
      try compare(with: "readelf", objects)
    }
  }

  /// The dynamic table alone gives the same rows.
  @Test(
    arguments: ["dynamic", "relocations", "hardening"],
    [InstalledFile.libc, .libswiftCore])
  func withoutSectionHeaders(subcommand: String, file: InstalledFile) throws {
    let scratch = try TemporaryDirectory()
    let copy = scratch.url.appending(path: "copy")
    try Data(contentsOf: URL(filePath: file.path)).withoutSectionHeaders().write(to: copy)
    let whole = try inspect([subcommand, file.path])
    let stripped = try inspect([subcommand, copy.path])
    #expect(whole.succeeded && stripped.succeeded && !whole.output.isEmpty)
    #expect(whole.output == stripped.output)
  }

  private func compare(_ subcommand: String, _ paths: [String]) throws {
    try compare(with: "readelf", ["--tables", subcommand] + paths)
  }

  private func compare(with reader: String, _ arguments: [String]) throws {
    let result = try Witness.compare(with: reader, arguments)
    #expect(result.succeeded && result.errorOutput.isEmpty, "\(result.output.prefix(2000))")
    #expect(result.output.hasSuffix(" rows are equal\n") && result.output != "0 rows are equal\n")
  }
}
