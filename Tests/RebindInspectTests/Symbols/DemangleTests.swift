import TestSupport

/// `--demangle`.
@Suite(.needsCommands, .measured) struct DemangleTests {
  @Test func readableNamesStandBesideTheMangledOnes() throws {
    let fixture = try BuiltFixture()
    let file = try #require(try Report(["--demangle", fixture.path]).files.first)
    #expect(file.symbol("_ZN3foo3barEi")?.demangledName == "foo::bar(int)")
    #expect(file.symbol("$s4main3fooyyF")?.demangledName == "main.foo() -> ()")
    #expect(try #require(file.symbol("object")).demangledName == nil)

    let lines = try inspect(["--demangle", fixture.path]).output.split(separator: "\n")
    #expect(lines.contains { $0.hasSuffix(" _ZN3foo3barEi@@INSPECT_2 foo::bar(int)") })
    #expect(lines.contains { $0.hasSuffix(" $s4main3fooyyF@@INSPECT_2 main.foo() -> ()") })
    #expect(lines.contains { $0.hasSuffix(" object@@INSPECT_1 -") })
  }

  /// Swift 6.3's demangler aborts on this name; a later one may not.
  @Test func aNameThatTheDemanglerAbortsOn() throws {
    let fixture = try BuiltFixture()
    var bytes = try fixture.bytes()
    let name = try #require(bytes.range(of: Data("oddly_named_symbol\0".utf8)))
    bytes.replaceSubrange(name.prefix(6), with: Data("$sRvs\0".utf8))
    let path = try fixture.write(bytes, as: "abort.so")
    let result = try inspect(["--demangle", path])
    #expect(!result.wasSignalled)
    #expect(
      result.succeeded
        || result.status == 2 && result.errorOutput.contains("rebind-inspect: \(path): "))
  }

  /// Both demanglers recurse with the depth of a name; no compiler makes such names.
  @Test func aNameThatIsTooLongToDemangle() throws {
    let directory = try TemporaryDirectory()
    let name = "$sSi" + String(repeating: "Sg", count: 60_000) + "D"
    let source = directory.url.appending(path: "long.s")
    try Data(".globl \"\(name)\"\n.type \"\(name)\", @function\n\"\(name)\": nop\n".utf8)
      .write(to: source)
    let library = directory.url.appending(path: "long.so").path
    try compile(.gcc, ["-shared", "-nostdlib", "long.s", "-o", "long.so"], in: directory.url)
    let file = try #require(try Report(["--demangle", library]).files.first)
    #expect(try #require(file.symbol(name)).demangledName == nil)
  }

  @Test func aLargeLibrary() throws {
    let path = try InstalledFile.libswiftCore.path
    let symbols = try #require(try Report(["--demangle", path]).files.first?.symbols)
    let mangled = symbols.filter { $0.name.hasPrefix("$s") }
    #expect(mangled.count > 10_000)
    #expect(mangled.allSatisfy { $0.demangledName?.isEmpty == false })
  }
}
