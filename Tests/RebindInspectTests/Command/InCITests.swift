import TestSupport

/// The step on the page "In CI" is run, on files that are as they should be and on planted ones.
@Suite(.needsCommands, .measured) struct InCITests {
  /// The lines below `run: |`, as CI runs them.
  private static func step() throws -> String {
    let page = try #require(
      Articles.of("rebind-inspect").first { $0.lastPathComponent == "InCI.md" })
    let block = try #require(page.codeBlocks(of: "yaml").first)
    let lines = block.components(separatedBy: "  run: |\n")[1].split(separator: "\n")
    #expect(lines.count <= 10 && lines.allSatisfy { $0.hasPrefix("    ") })
    return lines.map { $0.dropFirst(4) }.joined(separator: "\n")
  }

  /// A file that takes the place of a good one, or comes beside them, and what the step then says.
  enum Plant: String, CaseIterable {
    case nothing, executableStack, unresolved, newVersion, goneExport, cutShort

    var message: String {
      switch self {
      case .nothing: ""
      case .executableStack: "stack is executable, not nx: data on the stack can be run as code"
      case .unresolved: ""
      case .newVersion: "GLIBC_2.38 of libc.so.6 is newer than GLIBC_2.31: newest"
      case .goneExport: ""
      case .cutShort: "truncated"
      }
    }

    var status: Int32 { self == .nothing ? 0 : self == .cutShort ? 2 : 1 }
  }

  @Test(arguments: Plant.allCases)
  func theStep(plant: Plant) throws {
    let fixture = DependencyFixture()
    let path = try fixture.library("dist/libfoo.so", "int foo(void) { return 1; }")
    let facts = try inspect(["diff", "--facts", "--format", "json", path]).standardOutput
    try fixture.write("libfoo.json", facts)
    try fixture.library(
      "dist/plugins/one.so", "int host_call(void); int use(void) { return host_call(); }")
    try fixture.write("dist/README", Data("no ELF file".utf8))
    switch plant {
    case .nothing: break
    case .executableStack: try fixture.library("dist/planted.so", flags: ["-Wl,-z,execstack"])
    case .unresolved:
      try fixture.library("dist/planted.so", "int none(void); int use(void) { return none(); }")
    case .newVersion:
      let map = try fixture.write("map", Data("GLIBC_2.38 { newest; };".utf8))
      try fixture.library(
        "libc.so.6", "int newest(void) { return 1; }", flags: ["-Wl,--version-script=\(map)"])
      try fixture.library(
        "dist/planted.so", "int newest(void); int use(void) { return newest(); }",
        needs: ["libc.so.6"])
    case .goneExport: try fixture.library("dist/libfoo.so", "int other(void) { return 1; }")
    case .cutShort:
      try fixture.write("dist/planted.so", Data(contentsOf: URL(filePath: path)).prefix(200))
    }
    let shell = #"rebind-inspect() { "$0" "$@"; }; cd "$1"; set -e"# + "\n" + (try Self.step())
    let result = try bash(shell, [fixture.directory.url.path])
    #expect(result.status == plant.status && result.output == "", "\(result.errorOutput)")
    #expect(plant.message.isEmpty || result.errorOutput.contains(plant.message))
    #expect(result.errorOutput.contains("rebind-inspect: dist: 1 file is no ELF file\n"))
  }
}
