import TestSupport

/// The symbols that `symbols` shows, and their order.
@Suite(.needsCommands, .measured) struct SymbolFilterTests {
  let fixture: BuiltFixture

  init() throws {
    fixture = try BuiltFixture()
  }

  private func symbols(_ arguments: String...) throws -> [Symbol] {
    try #require(try Report(arguments + [fixture.path]).files.first?.symbols)
  }

  @Test func names() throws {
    let all = try symbols()
    #expect(try symbols("--name", "object") == all.filter { $0.name == "object" })
    #expect(try symbols("--name", "*_object") == all.filter { $0.name.hasSuffix("_object") })
    #expect(try symbols("--name", "/_object/") == all.filter { $0.name.contains("_object") })
    #expect(
      try symbols("--name", "/^(weak|protected)_function$/", "--name", "object").map(\.name)
        .sorted()
        == ["object", "protected_function", "weak_function"])
    #expect(try symbols("--name", "obj").isEmpty)
    for pattern in ["/(/", "/open", "/OPEN/i", "/", "//"] {
      #expect(try inspect(["symbols", "--name", pattern, fixture.path]).status == 64, "\(pattern)")
    }
  }

  @Test func versions() throws {
    let all = try symbols()
    #expect(
      try symbols("--symbol-version", "INSPECT_1") == all.filter { $0.version == "INSPECT_1" })
    #expect(
      try symbols("--symbol-version", "PROVIDER_*")
        == all.filter { $0.version?.hasPrefix("PROVIDER") == true })
    #expect(try symbols("--symbol-version", "*") == all.filter { $0.version != nil })
    #expect(
      try symbols("--symbol-version", "INSPECT_1", "--symbol-version", "PROVIDER_*")
        == all.filter { $0.version == "INSPECT_1" || $0.version?.hasPrefix("PROVIDER") == true })
    // The shorter name is the command's, with any subcommand.
    for arguments in [["--version"], ["symbols", "--version"], ["slots", "--version"]] {
      let result = try inspect(arguments)
      #expect(try result.succeeded && result.output == Places.version + "\n")
    }
    // Beside other words it was meant for something else.
    for arguments in [
      ["symbols", "--version", "GLIBC_*", "/bin/true"], ["--version", "/bin/true"],
    ] {
      let result = try inspect(arguments)
      #expect(result.status == 64 && result.output.isEmpty)
      #expect(result.errorOutput.contains("--symbol-version"))
    }
    #expect(
      try inspect(["symbols", "--help"]).output.contains("--symbol-version <pattern>"))
  }

  /// GNU's linkers write an absolute symbol for each version: no other image can bind to it. nm is
  /// the witness, which marks absolute symbols.
  @Test func exportsWithoutTheVersionsThemselves() throws {
    let libc = try InstalledFile.libc.path
    let lines = try run("nm", ["-D", "--defined-only", libc]).output.split(separator: "\n")
    let symbols = lines.map { $0.split(separator: " ") }.filter { $0.count == 3 }
    let expected = symbols.filter { $0[1] != "A" }.map { String($0[2]) }
    #expect(symbols.contains { $0[1] == "A" && $0[2].hasPrefix("GLIBC_2.") })
    let found = try #require(try Report(["--exports", libc]).files.first?.symbols)
    let names = found.map { symbol in
      let separator = symbol.isDefaultVersion == true ? "@@" : "@"
      return symbol.name + (symbol.version.map { separator + $0 } ?? "")
    }
    #expect(names.sorted() == expected.sorted())
    let both = try #require(
      try Report(["--imports", "--exports", libc]).files.first?.symbols)
    #expect(both.filter(\.isDefined) == found)
  }

  @Test func kinds() throws {
    let all = try symbols()
    #expect(try symbols("--weak") == all.filter { $0.binding == "WEAK" })
    #expect(try symbols("--type", "TLS") == all.filter { $0.type == "TLS" })
    #expect(
      try symbols("--type", "func", "--type", "IFUNC")
        == all.filter { ["FUNC", "IFUNC"].contains($0.type) })
    #expect(try symbols("--undefined") == symbols("--imports"))
    #expect(
      try symbols("--imports", "--weak") == all.filter { !$0.isDefined && $0.binding == "WEAK" })
    #expect(try inspect(["symbols", "--type", "FUNK", fixture.path]).status == 64)
  }

  @Test func sizes() throws {
    let all = try symbols()
    #expect(try symbols("--size", "12") == all.filter { $0.size == 12 })
    #expect(try symbols("--size", "1-6") == all.filter { (1...6).contains($0.size) })
    #expect(try symbols("--size", "7-") == all.filter { $0.size >= 7 })
    #expect(
      try symbols("--size", "4", "--size", "12") == all.filter { [4, 12].contains($0.size) })
    for wrong in ["x", "", "-", "5-4", "1-2-3"] {
      #expect(try inspect(["symbols", "--size=\(wrong)", fixture.path]).status == 64)
    }
  }

  @Test func order() throws {
    let all = try symbols()
    #expect(try symbols("--sort", "index") == all)
    #expect(
      try symbols("--sort", "name")
        == all.sorted { (Array($0.name.utf8), $0.index) < (Array($1.name.utf8), $1.index) })
    #expect(
      try symbols("--sort", "value")
        == all.sorted { (address($0), $0.index) < (address($1), $1.index) })
    #expect(
      try symbols("--sort", "size", "--exports")
        == symbols("--exports").sorted {
          $0.size != $1.size ? $0.size > $1.size : $0.index < $1.index
        })
    let text = try inspect(["symbols", "--sort", "size", fixture.path]).output
    #expect(text.hasPrefix("\(try symbols("--sort", "size")[0].index) "))
  }

  private func address(_ symbol: Symbol) -> UInt64 {
    UInt64(symbol.value.dropFirst(2), radix: 16) ?? 0
  }
}

private func < (_ left: ([UInt8], Int), _ right: ([UInt8], Int)) -> Bool {
  left.0 == right.0 ? left.1 < right.1 : left.0.lexicographicallyPrecedes(right.0)
}
