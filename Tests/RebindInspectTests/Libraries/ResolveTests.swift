import Foundation
import TestSupport
import Testing

/// `symbols --resolve` binds imports as the loader does.
@Suite(.needsCommands, .measured, .notInCheck) struct ResolveTests {
  let fixture = DependencyFixture()

  private struct Resolved: Decodable {
    struct Symbol: Decodable {
      var name: String
      var version: String?
      var definedBy: String?
      var shadows: [String]
    }
    var symbols: [Symbol]
  }

  private func resolve(_ arguments: [String]) throws -> [Resolved.Symbol] {
    try Document<Resolved>("symbols", ["--resolve", "--imports"] + arguments).files[0].symbols
  }

  /// The bindings of the loader when all is bound at start, by `LD_DEBUG`.
  private func bindings(_ program: String, _ arguments: [String] = []) throws -> [String: String] {
    let output = fixture.path("debug")
    _ = try run(
      program, arguments,
      environment: ["LD_DEBUG": "bindings", "LD_BIND_NOW": "1", "LD_DEBUG_OUTPUT": output])
    let file = try #require(
      try FileManager.default.contentsOfDirectory(atPath: fixture.directory.url.path)
        .first { $0.hasPrefix("debug.") })
    let text = try String(contentsOfFile: fixture.path(file), encoding: .utf8)
    // binding file PROGRAM [0] to LIBRARY [0]: normal symbol `open' [GLIBC_2.2.5]
    var found: [String: String] = [:]
    for line in text.split(separator: "\n") {
      let pattern = /binding file (\S+) \[0\] to (\S+) \[0\]: \w+ symbol `(\S+)'/
      guard let match = line.firstMatch(of: pattern), match.1 == program else { continue }
      found[String(match.3)] = String(match.2)
    }
    return found
  }

  @Test(arguments: ["rebind-inspect", "clang"])
  func theLoaderBindsTheSame(program: String) throws {
    let path = program == "clang" ? try InstalledFile.clang.path : inspectPath
    let witness = try bindings(path, ["--help"])
    #expect(witness.count > 20)
    var compared = 0
    for symbol in try resolve([path]) {
      guard let expected = witness[symbol.name], let found = symbol.definedBy else { continue }
      #expect(found == expected, "\(symbol.name)")
      compared += 1
    }
    #expect(compared > 20)
  }

  @Test func theFirstLibraryWinsAndShadowsTheOthers() throws {
    try fixture.library("liba.so", "int shared(void) { return 1; }")
    try fixture.library("libb.so", "int shared(void) { return 2; } int alone(void) { return 3; }")
    let program = try fixture.program(
      "program",
      """
      int shared(void), alone(void); __attribute__((weak)) int absent(void);
      int use(void) { return shared() + alone() + (absent ? absent() : 0); }
      """, needs: ["liba.so", "libb.so"], flags: ["-Wl,-rpath,\(fixture.directory.url.path)"])
    let symbols = try resolve([program])
    let shared = try #require(symbols.first { $0.name == "shared" })
    #expect(shared.definedBy == fixture.path("liba.so"))
    #expect(shared.shadows == [fixture.path("libb.so")])
    #expect(symbols.first { $0.name == "alone" }?.definedBy == fixture.path("libb.so"))
    let absent = try #require(symbols.first { $0.name == "absent" })
    #expect(absent.definedBy == nil && absent.shadows.isEmpty)

    let lines = try inspect(["symbols", "--resolve", program]).output.split(separator: "\n")
    #expect(
      lines.contains {
        $0.hasSuffix(" shared \(fixture.path("liba.so")) \(fixture.path("libb.so"))")
      })
    #expect(lines.contains { $0.hasSuffix(" absent - -") })
    // Preloaded libraries come first.
    let hooked = try resolve(["--preload", fixture.path("libb.so"), program])
    #expect(hooked.first { $0.name == "shared" }?.definedBy == fixture.path("libb.so"))
    #expect(try inspect(["symbols", "--resolve", program]).succeeded)
  }

  /// On a terminal, what stands in a column starts below its title.
  @Test func columns() throws {
    let lines = try inspectOnTerminal(
      ["symbols", "--imports", "--resolve", inspectPath], environment: ["NO_COLOR": "1"]
    ).output.split(separator: "\r\n").drop { !$0.contains("NAME") }
    let titles = try #require(lines.first)
    for title in ["FROM", "SHADOWS"] {
      let place = titles.distance(
        from: titles.startIndex, to: try #require(titles.range(of: title)).lowerBound)
      #expect(lines.allSatisfy { Array($0)[place - 1] == " " && Array($0)[place] != " " })
    }
    #expect(lines.count > 20)
    let readable = try inspectOnTerminal(["symbols", "--demangle", inspectPath]).output
    #expect(readable.contains("NAME READABLE"))
  }

  @Test func versions() throws {
    let map = try fixture.write("v.map", Data("V1 { f; }; V2 { g; } V1;".utf8))
    let source = """
      __asm__(".symver f_old, f@V1"); __asm__(".symver f_new, f@@V2");
      int f_old(void) { return 1; } int f_new(void) { return 2; } int g(void) { return 3; }
      """
    try fixture.library("liba.so", source, flags: ["-Wl,--version-script=\(map)"])
    // Has the name without a version, and one with another.
    try fixture.library("libplain.so", "int f(void) { return 4; }")
    let other = try fixture.write("o.map", Data("OTHER { f; };".utf8))
    try fixture.library(
      "libother.so", "int f(void) { return 5; }", flags: ["-Wl,--version-script=\(other)"])
    let program = try fixture.program(
      "program", "int f(void), g(void); int use(void) { return f() + g(); }",
      needs: ["liba.so", "libplain.so", "libother.so"],
      flags: ["-Wl,-rpath,\(fixture.directory.url.path)"])
    let f = try #require(try resolve([program]).first { $0.name == "f" })
    #expect(f.version == "V2" && f.definedBy == fixture.path("liba.so"))
    #expect(f.shadows == [fixture.path("libplain.so")])
    #expect(try bindings(program)["f"] == fixture.path("liba.so"))
  }

  /// A library whose symbols are broken offers none, and the others are still looked at.
  @Test func aBrokenLibrary() throws {
    let library = try fixture.library("liba.so", "int f(void) { return 1; }")
    let program = try fixture.program(
      "program", "#include <stdlib.h>\nint f(void); int use(void) { return f() + abs(f()); }",
      needs: ["liba.so"], flags: ["-Wl,-rpath,\(fixture.directory.url.path)"])
    var bytes = try Data(contentsOf: URL(filePath: library))
    // DT_SYMENT is 11, and its value 24.
    let entry = try #require(bytes.range(of: Data([11, 0, 0, 0, 0, 0, 0, 0, 24, 0, 0, 0])))
    bytes[entry.lowerBound + 8] = 23
    try bytes.write(to: URL(filePath: library))
    for command in [["symbols", "--resolve", program], ["why", "exit", "--in", program]] {
      let result = try inspect(command)
      #expect(result.status == 2 && !result.output.isEmpty)
      #expect(
        result.errorOutput.hasPrefix(
          "rebind-inspect: \(program): \(library): malformed: DT_SYMENT is 23, not 24\n"))
    }
  }

  @Test func importsFromNowhere() throws {
    try fixture.library("liba.so", "int f(void) { return 1; }")
    let program = try fixture.program(
      "program", "int f(void); int use(void) { return f(); }", needs: ["liba.so"],
      flags: ["-Wl,-rpath,\(fixture.directory.url.path)"])
    try fixture.library("liba.so")
    let result = try inspect(["symbols", "--resolve", program])
    #expect(result.status == 1)
    #expect(result.errorOutput == "rebind-inspect: \(program): no library defines f\n")
    try fixture.library("libb.so", (0..<5).map { "int f\($0)(void) { return 1; }" }.joined())
    let several = try fixture.program(
      "several",
      "int f0(), f1(), f2(), f3(), f4(); int use(void) { return f0() + f1() + f2() + f3() + f4(); }",
      needs: ["libb.so"], flags: ["-Wl,-rpath,\(fixture.directory.url.path)"])
    try fixture.library("libb.so")
    let all = try inspect(["symbols", "--resolve", several]).errorOutput
    #expect(all.contains(": no library defines 5 imports: f") && all.hasSuffix(" ...\n"))
    try fixture.delete("liba.so")
    let missing = try inspect(["symbols", "--resolve", program])
    #expect(missing.status == 1 && missing.errorOutput.contains(": liba.so not found, needed by "))
    // A library may take what it needs from its program.
    let plugin = try fixture.library("plugin.so", "int f(void); int use(void) { return f(); }")
    #expect(try inspect(["symbols", "--resolve", plugin]).succeeded)
  }
}
