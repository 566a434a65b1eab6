import TestSupport

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

  @Test(arguments: Compiler.all, ["default", "no build-id", "no-pie", "lld", "gold"])
  func boundsAreThoseOfReadelf(compiler: Compiler, variant: String) throws {
    let fixture = try Fixture.named("sections, \(variant)", by: compiler)
    let result = try fixture.run()
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

  @Test(arguments: Compiler.all, ["no-pie", "pie"])
  func staticExecutablesHaveSections(compiler: Compiler, variant: String) throws {
    let fixture = try Fixture.named("sections, static, \(variant)", by: compiler)
    let output = try fixture.run().output
    #expect(output.hasPrefix("image \(fixture.program.path)\n."))
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
