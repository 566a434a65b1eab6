import TestSupport

/// The subcommands that show tables say what readelf says.
@Suite(.needsCommands, .measured, .notInCheck) struct TableComparisonTests {
  static let subcommands = ["sections", "segments", "dynamic", "notes", "relocations"]

  @Test(arguments: subcommands, InstalledFile.allCases)
  func installedFile(subcommand: String, file: InstalledFile) throws {
    try compare(subcommand, [try file.path])
  }

  /// The toolchain's own libraries, which differ as libraries of a machine do, and C++'s.
  @Test(arguments: ["readelf", "eu-readelf"])
  func libraries(reader: String) throws {
    let libraries = try InstalledFile.toolchainLibraries()
    try compare(with: reader, libraries + [InstalledFile.libstdcxx()])
  }

  /// elfutils' reader says the same as binutils'.
  @Test func anotherWitness() throws {
    try compare(with: "eu-readelf", try InstalledFile.allCases.map { try $0.path })
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

  /// A file of debugging information has the relocations of an object's.
  @Test func debugFileOfAnObject() throws {
    let builder = try FixtureBuilder(.gcc)
    try builder.compile(["-g", "-c", Places.fixture("inspect-symbols.c").path, "-o", "whole.o"])
    let whole = builder.directory.url.appending(path: "whole.o").path
    let path = builder.directory.url.appending(path: "debug").path
    #expect(try run("objcopy", ["--only-keep-debug", whole, path]).succeeded)
    try compare("relocations", [path])
  }

  /// The names of constants on machines that no compiler here is for, each that readelf has.
  @Test(arguments: [50, 93, 195, 8, 43])
  func constants(ofMachine machine: UInt16) throws {
    let fixture = DependencyFixture()
    let script = #"""
      import struct, sys
      machine, folder = int(sys.argv[1]), sys.argv[2]
      def patched(name, patch):
          data = bytearray(open(f"{folder}/{name}", "rb").read())
          patch(data, lambda place, form: struct.unpack_from(form, data, place)[0])
          struct.pack_into("<H", data, 18, machine)
          open(f"{folder}/{name}", "wb").write(data)
      def types(data, read):
          for header in range(read(40, "<Q"), len(data), 64):
              if read(header + 4, "<I") == 4:
                  start = read(header + 24, "<Q") + 8
                  for index in range(256): struct.pack_into("<I", data, start + 24 * index, index)
      def tags(data, read):
          header = next(h for h in range(read(32, "<Q"), len(data), 56) if read(h, "<I") == 2)
          place = read(header + 8, "<Q")
          while read(place, "<Q"): place += 16
          for tag in range(56):
              struct.pack_into("<QQ", data, place + 16 * tag, 0x70000000 + tag, tag)
      patched("types.o", types)
      patched("tags.so", tags)
      """#
    try fixture.write("source.s", Data(".data\n.rept 256\n.quad x\n.endr\n".utf8))
    try fixture.compile("clang", ["--target=x86_64-linux-gnu", "-c", "source.s", "-o", "types.o"])
    try fixture.compile(
      "ld.bfd", ["-shared", "--spare-dynamic-tags=60", "types.o", "-o", "tags.so"])
    let patched = try run(Places.python, ["-c", script, "\(machine)", fixture.directory.url.path])
    #expect(patched.succeeded, "\(patched.errorOutput)")
    let names = /\((?:MIPS|IA_64|SPARC)_\w+\)/
    let tags = try run("readelf", ["-dW", fixture.path("tags.so")]).output.matches(of: names)
    let ours = try inspect(["dynamic", fixture.path("tags.so")]).output.split(separator: "\n")
    let words = Set(ours.map { "(\($0.split(separator: " ")[0]))" })
    #expect(tags.allSatisfy { words.contains(String($0.output)) })
    #expect(!ours.contains { $0.hasPrefix("LOPROC+") && machine == 8 && tags.count < 40 })
    // MIPS has three types in each, and SPARC's are older than these.
    guard machine != 8, machine != 43 else { return }
    let theirs = try run("readelf", ["-rW", fixture.path("types.o")]).output
      .matches(of: /(R_[A-Z0-9_]+|unrecognized: [0-9a-f]+)/).map { String($0.output.0) }
    let types = try inspect(["relocations", fixture.path("types.o")]).output.split(separator: "\n")
      .compactMap {
        $0.split(separator: " ").first { $0.hasPrefix("R_") || $0.hasPrefix("UNKNOWN+") }
      }
    #expect(theirs.count == 256 && types.count == 256)
    // binutils spells six of ARC's R_AC_.
    for (theirs, ours) in zip(theirs, types)
    where theirs.hasPrefix("R_") && !theirs.hasPrefix("R_AC_") {
      #expect(theirs == ours)
    }
    #expect(theirs.count { $0.hasPrefix("R_") } > 60)
  }

  /// LLVM names the relocations of BPF.
  @Test func relocationsOfBPF() throws {
    let fixture = DependencyFixture()
    let source = "extern int g, f(int); int *p = &g; int h(int x) { return f(x) + g; }"
    try fixture.write("source.c", Data(source.utf8))
    try fixture.compile("clang", ["--target=bpf", "-g", "-c", "source.c", "-o", "bpf.o"])
    let theirs = try run("llvm-objdump", ["-r", fixture.path("bpf.o")]).output.matches(
      of: /R_BPF_\w+/)
    let ours = try inspect(["relocations", fixture.path("bpf.o")]).output.matches(of: /R_BPF_\w+/)
    #expect(ours.map(\.output) == theirs.map(\.output) && Set(ours.map(\.output)).count > 3)
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
