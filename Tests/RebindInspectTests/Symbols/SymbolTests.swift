import TestSupport

/// The output of `symbols` for each kind of symbol, in each format.
@Suite(.needsCommands, .measured) struct SymbolTests {
  let fixture: BuiltFixture

  init() throws {
    fixture = try BuiltFixture()
  }

  @Test func versions() throws {
    let file = try #require(try Report([fixture.path]).files.first)
    let versioned = try #require(file.symbols).filter { $0.name == "versioned" }
    #expect(Set(versioned.map(\.version)) == ["INSPECT_1", "INSPECT_2"])
    #expect(versioned.first { $0.version == "INSPECT_1" }?.isDefaultVersion == false)
    #expect(versioned.first { $0.version == "INSPECT_2" }?.isDefaultVersion == true)

    let needed = try #require(file.symbol("provided_later"))
    #expect(needed.version == "PROVIDER_2")
    #expect(needed.isDefaultVersion == false)
    #expect(!needed.isDefined)

    let unversioned = try #require(file.symbol("absent_function"))
    #expect(unversioned.version == nil)
    #expect(unversioned.isDefaultVersion == nil)
  }

  /// Names behind a DT_STRSZ that is too small are there for the loader and for readelf, and here with a
  /// warning.
  @Test(arguments: [1, 12])
  func namesBehindTheirSize(size: UInt64) throws {
    let fixture = DependencyFixture()
    let map = try fixture.write("map", Data("VERSION_1 { global: *; };".utf8))
    let path = try fixture.library(
      "libnames.so", "int first(void) { return 7; } int second(void) { return 8; }",
      flags: ["-Wl,--version-script=\(map)"])
    let program = try fixture.program(
      "program", "int first(void); int (*volatile pointer)(void) = first;", needs: [path],
      flags: ["-Wl,-rpath,\(fixture.directory.url.path)"])
    let whole = try Report([path]).files[0].symbols
    let dynamic = try inspect(["dynamic", path]).output
    var bytes = try Data(contentsOf: URL(filePath: path))
    let stated = try #require(
      try run("readelf", ["-d", path]).output.firstMatch(of: /STRSZ\) +(\d+)/))
    func entry(_ value: UInt64) -> Data { withUnsafeBytes(of: (UInt64(10), value)) { Data($0) } }
    let number = try #require(UInt64(stated.1))
    let place = try #require(bytes.range(of: entry(number)))
    bytes.replaceSubrange(place, with: entry(size))
    try bytes.write(to: URL(filePath: path))
    #expect(try run(program, []).succeeded)
    let readelf = try readelfSymbols(path).map(\.name)
    let result = try inspect(["--format", "json", path])
    let symbols = try result.report().files[0].symbols
    #expect(symbols == whole && symbols?.map(\.name) == readelf && readelf.contains("second"))
    #expect(
      result.errorOutput
        == "rebind-inspect: \(path): DT_STRSZ is \(size), and names that lie behind it are shown too\n"
    )
    let tags = try inspect(["dynamic", path])
    #expect(tags.succeeded && tags.errorOutput == result.errorOutput)
    #expect(try inspect(["diff", program, path]).errorOutput == result.errorOutput)
    func others(_ output: String) -> [Substring] {
      output.split(separator: "\n").filter { !$0.hasPrefix("STRSZ") }
    }
    #expect(others(tags.output) == others(dynamic))
  }

  @Test(arguments: [
    ("object", "OBJECT", "GLOBAL", "DEFAULT"),
    ("thread_object", "TLS", "GLOBAL", "DEFAULT"),
    ("weak_function", "FUNC", "WEAK", "DEFAULT"),
    ("protected_function", "FUNC", "GLOBAL", "PROTECTED"),
    ("indirect_function", "IFUNC", "GLOBAL", "DEFAULT"),
    ("unique_object", "OBJECT", "UNIQUE", "DEFAULT"),
    ("absent_function", "NOTYPE", "WEAK", "DEFAULT"),
  ])
  func kinds(name: String, type: String, binding: String, visibility: String) throws {
    let symbol = try #require(try Report([fixture.path]).files.first?.symbol(name))
    #expect(symbol.type == type)
    #expect(symbol.binding == binding)
    #expect(symbol.visibility == visibility)
  }

  /// The symbols of linkers, of each kind of file that has them: nm is the witness.
  @Test(arguments: ["object", "archive", "static", "debug", "library"])
  func allSymbols(kind: String) throws {
    let dependencies = DependencyFixture()
    let source = "static int hidden = 3; int big[40]; int *f(void) { return big + hidden; }"
    let isObject = ["object", "archive"].contains(kind)
    var whole = dependencies.path("whole.o")
    if isObject {
      try dependencies.write("source.c", Data(source.utf8))
      try dependencies.compile("gcc", ["-c", "source.c", "-o", "whole.o"])
    } else if kind == "static" {
      whole = try dependencies.program("whole", source, flags: ["-static"])
    } else {
      whole = try dependencies.library("whole", source, flags: ["-g"])
    }
    var path = whole
    if kind == "archive" {
      path = dependencies.path("whole.a")
      #expect(try run("ar", ["rc", path, whole]).succeeded)
    } else if kind == "debug" {
      path = dependencies.path("debug")
      #expect(try run("objcopy", ["--only-keep-debug", whole, path]).succeeded)
    }
    let files = try Report(["--all", path]).files
    let symbols = files.flatMap { $0.symbols ?? [] }
    #expect(files.map(\.symbolSource) == ["SHT_SYMTAB"])
    let ours = symbols.filter { !$0.name.isEmpty }
      .map { "\($0.name) \($0.isDefined ? $0.value : "-") \($0.size)" }
    let theirs = try run("nm", ["-a", "-P", path]).output.split(separator: "\n").compactMap {
      line -> String? in
      let cells = line.split(separator: " ")
      guard line.first != " ", cells.count > 1 else { return nil }
      func number(_ index: Int) -> UInt64 {
        index < cells.count ? UInt64(cells[index], radix: 16) ?? 0 : 0
      }
      let value =
        cells[1].lowercased() == "u" || cells[1] == "w" ? "-" : "0x\(String(number(2), radix: 16))"
      return "\(cells[0]) \(value) \(number(3))"
    }
    #expect(ours.sorted() == theirs.sorted() && ours.contains { $0.hasPrefix("hidden ") })
    #expect(ours.contains { $0.hasPrefix(".text ") } || !isObject)
    let sorted = try #require(try Report(["--all", "--sort", "size", path]).files.first?.symbols)
    #expect(sorted.map(\.size) == symbols.map(\.size).sorted(by: >))
    let stripped = dependencies.path("stripped")
    #expect(try run("strip", ["-o", stripped, whole]).succeeded)
    if !isObject {
      let none = try inspect(["--all", stripped])
      #expect(none.succeeded && none.output.isEmpty)
      #expect(none.errorOutput.hasSuffix(": no symbols for linkers: they are stripped\n"))
    }
    #expect(try inspect(["symbols", "--all", "--resolve", path]).status == 64)
  }

  @Test func importsAreTheUndefinedOnes() throws {
    let all = try #require(try Report([fixture.path]).files.first?.symbols)
    let imports = try #require(try Report(["--imports", fixture.path]).files.first?.symbols)
    #expect(imports == all.filter { !$0.isDefined })
    #expect(imports.map(\.name).contains("provided_data"))
  }

  @Test func exportsAreTheDefinedAndVisibleOnes() throws {
    // lld keeps no hidden symbol in the table, so one is hidden here.
    let bytes = try hide("weak_function")
    let path = try fixture.write(bytes, as: "hidden.so")
    let all = try #require(try Report([path]).files.first?.symbols)
    #expect(all.contains { $0.name == "weak_function" && $0.visibility == "HIDDEN" })

    let exports = try #require(try Report(["--exports", path]).files.first?.symbols)
    #expect(exports == all.filter { $0.isDefined && $0.name != "weak_function" })
    let both = try #require(try Report(["--imports", "--exports", path]).files.first?.symbols)
    #expect(both == all.filter { $0.name != "weak_function" })
  }

  @Test func valuesWithoutANameKeepTheirNumber() throws {
    let bytes = try changeSymbol("weak_function") { $0[$0.startIndex + 4] = 0xcb }
    let path = try fixture.write(bytes, as: "unknown.so")
    let symbol = try #require(try Report([path]).files.first?.symbol("weak_function"))
    #expect(symbol.type == "LOOS+1")
    #expect(symbol.binding == "LOOS+2")

    var header = try fixture.bytes()
    header.replaceSubrange(0x10..<0x14, with: [0x01, 0xfe, 0x34, 0x12])
    let file = try #require(
      try Report([try fixture.write(header, as: "header.so")]).files.first)
    #expect(file.type == "LOOS+1" && file.typeValue == 0xfe01)
    #expect(file.machine == "UNKNOWN+4660" && file.machineValue == 0x1234)
  }

  @Test func textIsALineASymbol() throws {
    let symbols = try #require(try Report([fixture.path]).files.first?.symbols)
    let lines = try inspect([fixture.path]).output.split(separator: "\n")
    #expect(
      lines.map(String.init)
        == symbols.map { symbol in
          let section = [0: "UND", 0xfff1: "ABS"][symbol.sectionIndex] ?? "\(symbol.sectionIndex)"
          let version = symbol.version.map { (symbol.isDefaultVersion! ? "@@" : "@") + $0 } ?? ""
          return """
            \(symbol.index) \(symbol.value) \(symbol.size) \(symbol.type) \(symbol.binding) \
            \(symbol.visibility) \(section) \(symbol.name)\(version)
            """
        })
  }

  @Test func severalFilesHaveHeadings() throws {
    let one = try inspect([fixture.path]).output
    let two = try inspect([fixture.path, fixture.path]).output
    #expect(two == "\(fixture.path):\n\(one)\n\(fixture.path):\n\(one)")
  }

  @Test func jsonLinesAreTheFilesOfTheDocument() throws {
    let document = try inspect(["--format", "json", fixture.path, "/dev/null"])
    let lines = try inspect(["--format", "jsonl", fixture.path, "/dev/null"])
    let object = try JSONSerialization.jsonObject(with: document.standardOutput)
    let files = try #require((object as? [String: Any])?["files"] as? [[String: Any]])
    let lineFiles = try lines.output.split(separator: "\n").map {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
    }
    #expect(lineFiles.map { $0["schema"] as? String } == ["rebind-inspect/1", "rebind-inspect/1"])
    #expect(
      lineFiles.map { $0.filter { $0.key != "schema" } as NSDictionary }
        == files.map { $0 as NSDictionary })
  }

  @Test func aSymbolHasTheseFields() throws {
    let output = try inspect(["--format", "json", fixture.path]).standardOutput
    let document = try #require(try JSONSerialization.jsonObject(with: output) as? [String: Any])
    let files = try #require(document["files"] as? [[String: Any]])
    let symbols = try #require(files[0]["symbols"] as? [[String: Any]])
    for symbol in symbols {
      #expect(
        Set(symbol.keys) == [
          "index", "name", "version", "isDefaultVersion", "value", "size", "type", "binding",
          "visibility", "sectionIndex", "isDefined",
        ])
    }
  }

  private func hide(_ name: String) throws -> Data {
    try changeSymbol(name) { $0[$0.startIndex + 5] = 2 }
  }

  /// The fixture with the 24 bytes of a symbol's entry changed.
  private func changeSymbol(_ name: String, _ change: (inout Data) -> Void) throws -> Data {
    let symbol = try #require(try Report([fixture.path]).files.first?.symbol(name))
    let offset = try fixture.offset(ofSection: "DYNSYM")
    var bytes = try fixture.bytes()
    let range = offset + 24 * symbol.index..<offset + 24 * (symbol.index + 1)
    var entry = Data(bytes[range])
    change(&entry)
    bytes.replaceSubrange(range, with: entry)
    return bytes
  }
}
