import Foundation
import TestSupport
import Testing

/// What `notes` makes of each kind of note.
@Suite struct NotesTests {
  struct Report: Decodable {
    struct File: Decodable { var notes: [Note] }
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
    var files: [File]
  }

  private func notes(of path: String) throws -> [Report.Note] {
    let output = try inspect(["notes", "--format", "json", path]).standardOutput
    return try JSONDecoder().decode(Report.self, from: output).files[0].notes
  }

  private func build(_ target: String, linked: Bool = true) throws -> (FixtureBuilder, String) {
    let builder = try FixtureBuilder(.clang)
    let object = builder.directory.url.appending(path: "notes.o").path
    try builder.compile([
      "--target=\(target)", "-ffreestanding", "-fPIC", "-c",
      Places.fixtures.appending(path: "file-notes.c").path, "-o", object,
    ])
    guard linked else { return (builder, object) }
    let path = builder.directory.url.appending(path: "libnotes.so").path
    let result = try run(
      "ld.lld", ["-shared", "--build-id=0x0123456789abcdef", object, "-o", path])
    try #require(result.succeeded, "\(result.errorOutput)")
    return (builder, path)
  }

  static let targets = [
    "x86_64-linux-gnu", "i386-linux-gnu", "powerpc-linux-gnu", "s390x-linux-gnu",
  ]

  @Test(arguments: targets, [true, false])
  func contents(target: String, linked: Bool) throws {
    let (builder, path) = try build(target, linked: linked)
    let notes = try notes(of: path)
    func content(_ owner: String) -> [Report.Content?] {
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
    _ = builder
  }

  /// PT_NOTE has them, but for those that are not loaded.
  @Test(arguments: targets)
  func withoutSectionHeaders(target: String) throws {
    let (builder, path) = try build(target)
    let copy = builder.directory.url.appending(path: "copy")
    try Data(contentsOf: URL(filePath: path)).withoutSectionHeaders().write(to: copy)
    let whole = try notes(of: path).filter { $0.owner != "stapsdt" }
    let found = try notes(of: copy.path)
    #expect(found.map(\.content) == whole.map(\.content))
    #expect(found.allSatisfy { $0.section == nil })
  }

  @Test func aNoteThatEndsBehindItsSection() throws {
    let (builder, path) = try build("x86_64-linux-gnu")
    var bytes = try Data(contentsOf: URL(filePath: path))
    let owner = try #require(bytes.range(of: Data("Nobody\0".utf8)))
    bytes[owner.lowerBound - 8] = 0xff
    let copy = builder.directory.url.appending(path: "copy")
    try bytes.write(to: copy)
    let result = try inspect(["notes", copy.path])
    #expect(result.status == 1 && result.output.isEmpty)
    #expect(
      result.errorOutput.hasPrefix(
        "rebind-inspect: \(copy.path): malformed: section .note.unknown has a note that ends"))
  }
}
