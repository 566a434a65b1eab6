import TestSupport

/// The output of `notes` for each kind of note.
@Suite(.needsCommands, .measured) struct NotesTests {
  struct Notes: Decodable {
    struct Note: Decodable {
      var section: String?
      var owner: String
      var type: String
      var typeValue: UInt32
      var size: Int
      var bytes: String
      var content: Content?
    }
    struct Content: Decodable, Equatable {
      var kind: String
      var buildID: String?
      var system: String?
      var version: String?
      var text: String?
      var provider: String?
      var name: String?
      var location: String?
      var base: String?
      var semaphore: String?
      var arguments: String?
    }
    var notes: [Note]
  }

  private func notes(of file: URL) throws -> [Notes.Note] {
    try Document<Notes>("notes", [file.path]).files[0].notes
  }

  /// A folder with the linked file `libnotes.so` and its object file.
  private func build(_ target: String) throws -> TemporaryDirectory {
    try FixtureBuilder.shared(.clang, key: ["notes", target]) {
      let object = try $0.compile("file-notes", for: target)
      try $0.link(["-shared", "--build-id=0x0123456789abcdef", object, "-o", "libnotes.so"])
    }.directory
  }

  static let targets = [
    "x86_64-linux-gnu", "i386-linux-gnu", "powerpc-linux-gnu", "s390x-linux-gnu",
  ]

  @Test(arguments: targets, [true, false])
  func contents(target: String, linked: Bool) throws {
    let folder = try build(target)
    let notes = try notes(
      of: folder.url.appending(path: linked ? "libnotes.so" : "file-notes.o"))
    func content(_ owner: String) -> [Notes.Content?] {
      notes.filter { $0.owner == owner }.map(\.content)
    }
    let abi = try #require(notes.first { $0.type == "GNU_ABI_TAG" })
    #expect(abi.content?.system == "Linux" && abi.content?.version == "3.2.0")
    #expect(abi.section == ".note.ABI-tag" && abi.size == 16)
    #expect(
      content("FDO")
        == [.init(kind: "text", text: #"{"type":"deb","name":"notes","version":"1"}"#)])
    #expect(content("Go") == [.init(kind: "text", text: "abc/def")])
    let unknown = try #require(notes.first { $0.owner == "Nobody" })
    #expect(unknown.type == "UNKNOWN+77" && unknown.typeValue == 77)
    #expect(unknown.bytes == "0102ff" && unknown.content == nil)
    #expect(
      content("stapsdt") == [
        .init(
          kind: "probe", provider: "provider", name: "probe", location: "0x1234", base: "0x1000",
          semaphore: "0x4000", arguments: "-4@%edi 8@-16(%rbp)"),
        .init(
          kind: "probe", provider: "provider", name: "other", location: "0x1238", base: "0x1000",
          arguments: ""),
        nil,
      ])
    let empty = try #require(notes.first { $0.owner.isEmpty })
    #expect(empty.size == 0 && empty.content == nil)
    if linked {
      let buildID = try #require(notes.first { $0.content?.kind == "buildID" })
      #expect(buildID.content?.buildID == "0123456789abcdef" && buildID.type == "GNU_BUILD_ID")
    }
    withExtendedLifetime(folder) {}
  }

  /// PT_NOTE has them, but for those that are not loaded.
  @Test(arguments: targets)
  func withoutSectionHeaders(target: String) throws {
    let folder = try build(target)
    let file = folder.url.appending(path: "libnotes.so")
    let copy = folder.url.appending(path: "copy")
    try Data(contentsOf: file).withoutSectionHeaders().write(to: copy)
    let whole = try notes(of: file).filter { $0.owner != "stapsdt" }
    let found = try notes(of: copy)
    #expect(found.map(\.content) == whole.map(\.content))
    #expect(found.allSatisfy { $0.section == nil })
    withExtendedLifetime(folder) {}
  }

  @Test func aNoteThatEndsBehindItsSection() throws {
    let folder = try build("x86_64-linux-gnu")
    var bytes = try Data(contentsOf: folder.url.appending(path: "libnotes.so"))
    let owner = try #require(bytes.range(of: Data("Nobody\0".utf8)))
    bytes[owner.lowerBound - 8] = 0xff
    let copy = folder.url.appending(path: "copy")
    try bytes.write(to: copy)
    let result = try inspect(["notes", copy.path])
    #expect(result.status == 2 && result.output.isEmpty)
    #expect(
      result.errorOutput.hasPrefix(
        "rebind-inspect: \(copy.path): malformed: section .note.unknown has a note that ends"))
    withExtendedLifetime(folder) {}
  }
}
