import TestSupport

/// Archives and their members, for every subcommand that reads files.
@Suite(.needsCommands, .measured, .notInCheck) struct ArchiveTests {
  let builder: FixtureBuilder
  var folder: URL { builder.directory.url }

  init() throws {
    builder = try FixtureBuilder.shared(.clang, key: ["archived"]) {
      for (source, object) in [
        ("inspect-symbols", "symbols.o"), ("file-foreign", Self.members[1]),
      ] {
        try $0.compile([
          "-fPIC", "-c", Places.fixture("\(source).c").path, "-o", object,
        ])
      }
    }
    try FileManager.default.createDirectory(
      at: folder.appending(path: "below"), withIntermediateDirectories: false)
    try FileManager.default.moveItem(
      at: folder.appending(path: Self.members[1]), to: folder.appending(path: Self.longPath))
  }

  /// The objects, and what the archive calls them.
  static let members = ["symbols.o", "a-name-that-is-too-long-for-ar.o"]

  enum Kind: String, CaseIterable { case gnu, thin, bsd }

  static let commands = [
    ["symbols"], ["relocations"], ["dynamic"], ["segments"], ["sections"], ["notes"],
    ["annotations"], ["hardening"], ["section", ".comment", "--as", "strings"],
  ]

  @Test(arguments: commands)
  func allMembers(command: [String]) throws {
    let objects = try ["symbols.o", Self.longPath].map {
      try inspect(command + [folder.appending(path: $0).path]).output
    }
    for kind in Kind.allCases {
      let archive = try make(kind)
      let result = try inspect(command + [archive])
      let single = zip(names(kind), objects).map { "\(archive)(\($0)):\n\($1)" }
      if ["symbols", "dynamic"].contains(command[0]) {
        #expect(result.succeeded && result.output.isEmpty)
        #expect(
          result.errorOutput.hasPrefix(
            "rebind-inspect: \(archive): 2 of 2 members have no dynamic table"))
      } else {
        #expect(result.succeeded && result.errorOutput.isEmpty)
        #expect(result.output == single.joined(separator: "\n"), "\(kind)")
      }
      try FileManager.default.removeItem(atPath: archive)
    }
  }

  @Test(arguments: Kind.allCases)
  func oneMember(kind: Kind) throws {
    let archive = try make(kind)
    for (name, object) in zip(names(kind), ["symbols.o", Self.longPath]) {
      let path = "\(archive)(\(name))"
      let object = folder.appending(path: object).path
      #expect(
        try inspect(["relocations", path]).output == inspect(["relocations", object]).output)
      let raw = ["section", ".text", "--as", "raw"]
      #expect(
        try inspect(raw + [path]).standardOutput == inspect(raw + [object]).standardOutput)
      let file = try #require(try Report([path]).files.first)
      #expect(file.path == path && file.error == nil)
    }
  }

  /// A compressed section is what its object's is, in a member that is read and in one that is
  /// mapped, and what comes after it in the batch is printed.
  @Test(arguments: [nil, 2 << 20])
  func compressed(padding: Int?) throws {
    try builder.compile(
      ["-g", "-gz=zlib", "-c", Places.fixture("inspect-symbols.c").path, "-o"]
        + ["compressed.o"])
    let object = folder.appending(path: "compressed.o").path
    if let padding {
      let zeros = folder.appending(path: "zeros")
      try Data(count: padding).write(to: zeros)
      let added = ["--add-section", ".zeros=\(zeros.path)", object]
      #expect(try run("llvm-objcopy", added).succeeded)
    }
    let archive = folder.appending(path: "compressed.a").path
    try? FileManager.default.removeItem(atPath: archive)
    #expect(try run("ar", ["rc", archive, object]).succeeded)
    let command = ["section", ".debug_str", "--as", "strings"]
    let expected = try inspect(command + [object])
    #expect(expected.output.contains("inspect-symbols.c"))
    let result = try inspect(command + ["\(archive)(compressed.o)", object])
    #expect(result.succeeded && !result.wasSignalled)
    #expect(
      result.output == """
        \(archive)(compressed.o):
        \(expected.output)
        \(object):
        \(expected.output)
        """)
  }

  /// It is read as nm reads it, and said to be so.
  @Test(arguments: ["!<arch>\n", "!<thin>\n"])
  func withoutMembers(contents: String) throws {
    let archive = folder.appending(path: "none.a").path
    try Data(contents.utf8).write(to: URL(filePath: archive))
    #expect(try run("nm", [archive]).succeeded)
    let result = try inspect(["symbols", archive])
    #expect(result.succeeded && result.output.isEmpty)
    #expect(result.errorOutput == "rebind-inspect: \(archive): the archive has no members\n")
    #expect(try inspect(["symbols", "--format", "json", archive]).report().files.isEmpty)
    let pair = try inspect(["diff", archive, archive])
    #expect(pair.errorOutput.contains("is an archive of 0 members\n"))
  }

  /// Those of one name are all meant.
  @Test func twoMembersOfOneName() throws {
    let archive = try make(.gnu)
    #expect(try run("ar", ["q", archive, folder.appending(path: "symbols.o").path]).succeeded)
    let files = try Report(["\(archive)(symbols.o)"]).files
    #expect(files.count == 2 && files.allSatisfy { $0.error == nil })
  }

  @Test func wrongMembers() throws {
    let archive = try make(.gnu)
    let text = folder.appending(path: "text").path
    try Data("no ELF file\n".utf8).write(to: URL(filePath: text))
    #expect(try run("ar", ["q", archive, text]).succeeded)

    let result = try inspect(["sections", "--format", "json", archive, "\(archive)(absent.o)"])
    #expect(result.status == 2)
    let report = try result.report()
    #expect(report.files.map(\.error?.code) == [nil, nil, "not-elf", "no-member"])
    #expect(
      result.errorOutput == """
        rebind-inspect: \(archive)(text): not an ELF file
        rebind-inspect: \(archive)(absent.o): no member absent.o

        """)
    #expect(try inspect(["/nowhere.a(x.o)"]).errorOutput.contains("No such file or directory"))
    // One member's bytes are raw, not those of several.
    #expect(try inspect(["section", ".text", "--as", "raw", archive]).status == 2)
  }

  @Test func aThinMemberThatIsGone() throws {
    let archive = try make(.thin)
    try FileManager.default.removeItem(at: folder.appending(path: "symbols.o"))
    let files = try Report([archive]).files
    #expect(files.map(\.error?.code) == ["not-found", nil])
  }

  @Test(arguments: [
    ("cut", 100, "truncated"), ("header", 80, "truncated"),
  ])
  func cut(name: String, length: Int, code: String) throws {
    let bytes = try Data(contentsOf: URL(filePath: make(.gnu)))
    let path = folder.appending(path: name).path
    try bytes.prefix(length).write(to: URL(filePath: path))
    #expect(try Report([path]).files.map(\.error?.code) == [code])
  }

  /// Broken headers, names and members: one line each, and no signal.
  @Test(arguments: Kind.allCases)
  func damaged(kind: Kind) throws {
    let bytes = try Data(contentsOf: URL(filePath: make(kind)))
    let paths = try bytes.damaged(times: tries(300)).enumerated().map { index, bytes in
      let url = folder.appending(path: "damaged-\(index).a")
      try bytes.write(to: url)
      return url.path
    }
    let result = try bash(
      #"ulimit -v 2000000; ulimit -c 0; exec "$0" relocations --format jsonl "$@""#, paths)
    #expect(!result.wasSignalled && result.status == 2)
    let failed = result.output.split(separator: "\n").count { $0.contains(#","error":{"#) }
    #expect(failed > 0 && result.errorOutput.split(separator: "\n").count == failed)
  }

  private static let longPath = "below/a-name-that-is-too-long-for-ar.o"

  private func names(_ kind: Kind) -> [String] {
    // A thin archive's names are paths.
    kind == .thin ? ["symbols.o", Self.longPath] : Self.members
  }

  /// Makes an archive of the two objects.
  private func make(_ kind: Kind) throws -> String {
    let result =
      switch kind {
      case .gnu:
        try run("ar", ["rc", "lib.a", "symbols.o", Self.longPath], currentDirectory: folder)
      case .thin:
        try run("ar", ["rcT", "lib.a", "symbols.o", Self.longPath], currentDirectory: folder)
      case .bsd:
        try run(
          "llvm-ar", ["--format=bsd", "rc", "lib.a", "symbols.o", Self.longPath],
          currentDirectory: folder)
      }
    #expect(result.succeeded, "\(result.errorOutput)")
    return folder.appending(path: "lib.a").path
  }
}
