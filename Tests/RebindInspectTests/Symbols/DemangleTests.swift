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

  /// Each listing that has symbols has readable names beside the mangled ones or in place of them. c++filt is
  /// the witness.
  @Test(arguments: [
    ["symbols"], ["symbols", "--resolve"], ["symbols", "--all"], ["slots"], ["relocations"],
    ["who-imports", "_Z*"], ["who-imports", "--defines", "_Z*"], ["requires"], ["diff"],
  ])
  func everyListing(command: [String]) throws {
    let fixture = DependencyFixture()
    let map = try fixture.write("map", Data("V_1 { global: *; };".utf8))
    let name = "_ZN4Shop5priceEi"
    let declaration = "int price(int) __asm__(\"\(name)\"); "
    let provider = try fixture.library(
      "libprovider.so", declaration + "int price(int item) { return item; }",
      flags: ["-Wl,--version-script=\(map)"])
    let user = try fixture.library(
      "libuser.so", declaration + "int plain(void) { return price(1); }", needs: [provider])
    let files =
      command == ["diff"] ? [user, provider] : [command.contains("--defines") ? provider : user]
    func lines(_ options: String...) throws -> [Substring] {
      try inspect(command + options + files).output.split(separator: "\n")
    }
    let readable = try run("c++filt", [name]).output.trimmingCharacters(in: .newlines)
    let plain = try lines()
    #expect(plain.contains { $0.contains(name) } && !plain.contains { $0.contains(readable) })
    for line in try lines("--demangle") {
      #expect(line.contains(name) ? line.contains(" \(readable)") : !line.contains(readable))
    }
    let only = try lines("--demangle=only")
    #expect(only.count == plain.count && !only.contains { $0.contains("_Z") })
    let count = plain.count { $0.contains(name) }
    #expect(only.count { $0.contains(" \(readable)") } == count)
    if command[0] != "requires" {
      let hasVersion = only.contains { $0.contains("\(readable)@") && $0.hasSuffix("@V_1") }
      #expect(
        hasVersion || only.contains { $0.contains("\(readable)@@V_1") } || command.last == "--all")
    }
    #expect(only.contains { $0.hasSuffix(" plain") } == plain.contains { $0.contains(" plain") })
    for format in ["json", "rows", "csv"] {
      let output = try inspect(command + ["--format", format, "--demangle"] + files).output
      #expect(output.contains(readable) && output.contains(name))
      #expect(try inspect(command + ["--format", format] + files).output.contains(name))
    }
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
