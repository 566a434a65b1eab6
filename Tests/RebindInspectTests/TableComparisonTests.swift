import Foundation
import TestSupport
import Testing

/// The subcommands that show tables say what readelf says.
@Suite(.measured) struct TableComparisonTests {
  static let subcommands = ["sections", "segments", "dynamic", "notes", "relocations"]

  @Test(arguments: subcommands, InstalledFile.allCases)
  func installedFile(subcommand: String, file: InstalledFile) throws {
    try compare(subcommand, [try file.path])
  }

  /// Of the folder that this process's libc is in: the system's libraries, libstdc++ among them.
  private static let libraries = Result {
    let folder = URL(filePath: try InstalledFile.libc.path).resolvingSymlinksInPath()
      .deletingLastPathComponent()
    let libraries = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.contains(".so.") }.sorted().map { folder.appending(path: $0) }
      .filter {
        let keys: Set<URLResourceKey> = [.isRegularFileKey, .fileSizeKey]
        let values = try? $0.resourceValues(forKeys: keys)
        return values?.isRegularFile == true && (values?.fileSize ?? 0) < 4 << 20
      }
    let step = max(1, libraries.count / 100)
    let chosen = stride(from: 0, to: libraries.count, by: step).prefix(100).map {
      libraries[$0].path
    }
    let standardLibrary = libraries.first { $0.lastPathComponent.hasPrefix("libstdc++.so") }
    return chosen + [standardLibrary?.path].compactMap(\.self)
  }

  @Test(arguments: subcommands)
  func aHundredLibraries(subcommand: String) throws {
    let libraries = try Self.libraries.get()
    #expect(libraries.count > 20)
    try compare(subcommand, libraries)
  }

  /// elfutils' reader says the same as binutils'.
  @Test func anotherWitness() throws {
    let script = Places.fixtures.appending(path: "compare-with-eu-readelf.py").path
    let files = try InstalledFile.allCases.map { try $0.path } + Self.libraries.get()
    let result = try run("python3", [script, inspectPath] + files)
    try expectEqual(result)
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
    // readelf cannot read a note of file-notes.c that is too short, and stops there.
    let noted = objects.removeLast()
    let fixture =
      ReadelfComparisonTests.targets.contains(target) ? try BuiltFixture(target: target) : nil
    if let fixture {
      try builder.link(["-shared", objects[1], noted, "-o", "libforeign.so"])
      objects += [fixture.path, path("libforeign.so")]
    }
    for subcommand in Self.subcommands {
      // Relocations of 64-bit MIPS are three rows of readelf's.
      if subcommand == "relocations", target.hasPrefix("mips64") { continue }
      let files = subcommand == "notes" ? Array(objects.prefix(3)) : objects + [noted]
      try compare(subcommand, files)
    }
    withExtendedLifetime(fixture) {}
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
    let script = Places.fixtures.appending(path: "compare-with-readelf.py").path
    try expectEqual(try run("python3", [script, inspectPath, subcommand] + paths))
  }

  private func expectEqual(_ result: ProcessResult) throws {
    #expect(result.succeeded && result.errorOutput.isEmpty, "\(result.errorOutput.suffix(1000))")
    // The last line is alone if there is no difference.
    #expect(result.output.hasSuffix(" rows are equal\n"))
    #expect(result.output.split(separator: "\n").count == 1, "\(result.output.prefix(2000))")
  }
}
