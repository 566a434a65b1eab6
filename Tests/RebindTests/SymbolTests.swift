import Rebind
import TestSupport

/// Symbols, beside what readelf says of the same file.
@Suite(.measured) struct SymbolTests {
  /// The GNU hash table of a library that exports nothing counts no symbols.
  @Test(arguments: ["-Wl,--hash-style=gnu", "-Wl,--hash-style=sysv", "-fvisibility=hidden"])
  func ofALibraryAreThoseOfTheFile(flag: String) throws {
    let plugin = try Plugin(flags: [flag], name: "libsymbols-\(flag.suffix(4)).so")
    let library = try OpenLibrary(plugin.path)
    defer { library.close() }
    try compare(try #require(try Image.named(plugin.path)))
  }

  @Test func ofLibcAreThoseOfTheFile() throws {
    try compare(try #require(try Image.named("libc.so.6")))
  }

  @Test func areFoundByHash() throws {
    let libc = try #require(try Image.named("libc.so.6"))
    let defined = try libc.symbols().filter { $0.isDefined && $0.binding != .local }
    try #require(defined.count > 1000)
    for (name, symbols) in Dictionary(grouping: defined, by: \.name).prefix(300) {
      let found = try libc.symbols(named: name)
      #expect(Set(found) == Set(symbols))
    }
    #expect(try libc.symbols(named: "rebind_no_such_symbol").isEmpty)
    #expect(try libc.symbols(named: "getppid\0").isEmpty && libc.symbols(named: "").isEmpty)
  }

  @Test func printsAsLinkersWriteIt() throws {
    let libc = try #require(try Image.named("libc.so.6"))
    let symbol = try #require(try libc.symbols(named: "getppid").first)
    #expect(symbol.isDefaultVersion && symbol.versionedName.hasPrefix("getppid@@GLIBC_"))
    #expect(symbol.description.hasPrefix("\(symbol.versionedName) FUNC "))
    let asked = try Image.main.symbols().first { $0.name == "getppid" && !$0.isDefined }
    if let asked { #expect(asked.versionedName.hasPrefix("getppid@GLIBC_")) }
    #expect(
      Symbol(
        index: 1, name: "x", version: "V", type: .init(rawValue: 13), binding: .weak,
        visibility: .hidden, value: 0, size: 0, sectionIndex: 0
      ).description == "x@V type 13 WEAK HIDDEN undefined")
  }

  /// "   12: 00000000000f7fc0   296 FUNC    WEAK   DEFAULT   16 open@@GLIBC_2.2.5"
  private func compare(_ image: Image) throws {
    let rows = try lines(of: "readelf", ["--dyn-syms", "--wide", image.path])
      .map { words($0) }.filter { $0.first?.hasSuffix(":") == true && Int($0[0].dropLast()) != nil }
      .dropFirst()
    let symbols = try image.symbols()
    try #require(rows.count == symbols.count && !symbols.isEmpty)
    for (row, symbol) in zip(rows, symbols) {
      #expect(Int(row[0].dropLast()) == symbol.index)
      #expect(number(row[1]) == symbol.value)
      let size = row[2].hasPrefix("0x") ? number(row[2]) : UInt64(row[2])
      #expect(size == symbol.size)
      #expect(row[3] == "\(symbol.type)" && row[4] == "\(symbol.binding)")
      #expect(row[5] == "\(symbol.visibility)")
      #expect((row[6] == "UND") == !symbol.isDefined)
      // readelf leaves the version out where it is the name, of the version itself.
      let name = symbol.version == symbol.name ? symbol.name : symbol.versionedName
      if row.count > 7 { #expect(row[7] == name) }
    }
  }
}
