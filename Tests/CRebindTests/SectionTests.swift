import Foundation
import TestSupport
import Testing

/// The sections of loaded images, whatever has become of their files.
@Suite(.measured) struct SectionTests {
  /// A section as readelf prints it.
  struct Section: Hashable, CustomStringConvertible {
    var name: String
    var address, size, entrySize, alignment: UInt64

    var description: String {
      "\(name) at 0x\(String(address, radix: 16)), \(size) bytes"
    }
  }

  @Test(
    arguments: Compiler.all,
    [[], ["-Wl,--build-id=none"], ["-no-pie", "-fno-pie"], ["-fuse-ld=lld"], ["-fuse-ld=gold"]])
  func boundsAreThoseOfReadelf(compiler: Compiler, flags: [String]) throws {
    let builder = try FixtureBuilder(compiler)
    let program = try builder.build("sections", from: ["sections.c"], flags: flags)
    let result = try run(program.path)
    #expect(result.errorOutput == "")
    #expect(result.succeeded && result.output.hasSuffix("all\n"))
    let images = result.output.split(separator: "image ")
    #expect(images.count >= 3)
    for image in images {
      let lines = image.split(separator: "\n").filter { $0 != "all" }
      let sections = lines.dropFirst().map(Self.section(printed:))
      #expect(try sections == Self.sections(of: String(lines[0])), "\(lines[0])")
    }
  }

  @Test(arguments: Compiler.all, [["-static"], ["-static-pie", "-fPIE", "-fuse-ld=bfd"]])
  func staticExecutablesHaveSections(compiler: Compiler, flags: [String]) throws {
    let builder = try FixtureBuilder(compiler)
    let program = try builder.build("sections", from: ["sections.c"], flags: flags)
    let result = try run(program.path)
    #expect(result.errorOutput == "")
    #expect(result.output.hasPrefix("image \(program.path)\n.") && result.output.hasSuffix("all\n"))
  }

  /// As the user who runs the tests, and as one who may do nothing in particular.
  @Test(arguments: [
    (Compiler.gcc, []), (.clang, []), (.gcc, ["-fsanitize=address"]),
    (.gcc, ["-fuse-ld=lld"]), (.gcc, ["-fuse-ld=gold"]),
  ])
  func noFileIsTakenForAnother(compiler: Compiler, flags: [String]) throws {
    let builder = try FixtureBuilder(compiler)
    let plugins = try [
      ("plugin", ["-Wl,--build-id"]), ("other", ["-Wl,--build-id", "-DOTHER"]),
      ("plain", ["-Wl,--build-id=none"]), ("plain-other", ["-Wl,--build-id=none", "-DOTHER"]),
      ("noted", ["-Wl,--build-id", "-DNOTED"]),
    ].map { name, options in
      try builder.buildLibrary(
        "\(name).so", from: "section-plugin.c",
        flags: flags + options + AnnotationTests.includeFlags
      ).path
    }
    try expect(
      "none was taken for another\n",
      from: builder.build("section-traps", from: ["section-traps.c"], flags: flags),
      arguments: plugins)
  }

  @Test(arguments: [(Compiler.gcc, Sanitizer.address), (.clang, .none)])
  func brokenFilesAndNotesAreTold(build: (Compiler, Sanitizer)) throws {
    let (compiler, sanitizer) = build
    let builder = try FixtureBuilder(compiler)
    let plugin = try builder.buildLibrary(
      "plugin.so", from: "section-plugin.c",
      flags: ["-Wl,--build-id", "-DNOTED"] + AnnotationTests.includeFlags)
    let program = builder.directory.url.appending(path: "section-fuzz")
    try builder.compile(
      ["-std=gnu11", "-g", "-pthread"] + sanitizer.flags + FixtureBuilder.includeFlags
        + [Places.fixtures.appending(path: "section-fuzz.c").path]
        + [CoreArchive.file(for: compiler, flags: sanitizer.flags).path, "-o", program.path])
    try expect("unharmed\n", from: program, arguments: ["1", "1500", plugin.path])
  }

  // MARK: - Witness

  /// The name may hold anything; what follows does not.
  private static func section(printed line: some StringProtocol) -> Section {
    let words = line.split(separator: " ")
    func number(_ index: Int, _ radix: Int) -> UInt64 { UInt64(words[index], radix: radix) ?? 0 }
    return Section(
      name: String(words[0]), address: number(1, 16), size: number(2, 16),
      entrySize: number(3, 16), alignment: number(4, 10))
  }

  private static func sections(of path: String) throws -> [Section] {
    let output = try run("readelf", ["--section-headers", "--wide", path]).output
    let pattern =
      /\[ *\d+\] (?<name>\S+) +(?<type>\S+) +(?<address>[0-9a-f]+) [0-9a-f]+ (?<size>[0-9a-f]+) (?<entry>[0-9a-f]+) +(?<flags>[A-Za-z]*) +\d+ +\d+ +(?<alignment>\d+)/
    return output.split(separator: "\n").compactMap { line in
      guard let match = line.firstMatch(of: pattern) else { return nil }
      // The zeros of thread-local variables have no place in the image.
      let isLoaded =
        match.flags.contains("A") && !(match.type == "NOBITS" && match.flags.contains("T"))
      return Section(
        name: String(match.name), address: isLoaded ? UInt64(match.address, radix: 16)! : 0,
        size: UInt64(match.size, radix: 16)!, entrySize: UInt64(match.entry, radix: 16)!,
        alignment: UInt64(match.alignment)!)
    }
  }
}
