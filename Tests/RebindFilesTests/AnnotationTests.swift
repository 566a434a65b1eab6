import Rebind
import RebindFiles
import TestSupport

/// The annotations of files that are not loaded.
@Suite(.measured) struct AnnotationTests {
  @Test(arguments: LinkMode.all)
  func everyLinkMode(_ mode: LinkMode) throws {
    let built = try AnnotatedFile(mode)
    let found = try ELFFile(path: built.path).annotations()
    try check(found, of: ELFFile(path: built.path))
    #expect(found.provenance == .file(built.path))
    #expect(found.annotations.compactMap(\.line).count == 3)
  }

  /// The note that the file carries is enough.
  @Test(arguments: LinkMode.all)
  func withoutSectionHeaders(_ mode: LinkMode) throws {
    let built = try AnnotatedFile(mode)
    let stripped = try ELFFile(path: built.stripped())
    let found = try stripped.annotations()
    try check(found, of: stripped)
    #expect(found.provenance == .note)
    #expect(found.annotations == (try ELFFile(path: built.path).annotations().annotations))
  }

  @Test(arguments: AnnotatedFile.foreignTargets, [[], ["-z", "pack-relative-relocs"]])
  func otherMachines(target: String, linkerFlags: [String]) throws {
    let built = try AnnotatedFile(target: target, linkerFlags: linkerFlags)
    for path in [built.path, try built.stripped()] {
      let file = try ELFFile(path: path)
      try check(file.annotations(), of: file)
    }
  }

  /// No linker has given an accessor its address yet.
  @Test(arguments: Compiler.all)
  func objectFile(_ compiler: Compiler) throws {
    let built = try AnnotatedFile(object: compiler)
    let found = try ELFFile(path: built.path).annotations()
    #expect(found.faults == [])
    #expect(found.annotations.map(\.key) == ["Mail", "mail", "calendar"])
    #expect(found.annotations.map(\.accessor) == [nil, nil, .unresolved])
  }

  @Test func group() throws {
    let built = try AnnotatedFile(LinkMode(.bfd, .shared))
    let file = try ELFFile(path: built.path)
    #expect(try file.annotations(group: "services").annotations.map(\.key) == ["mail", "calendar"])
    #expect(try file.annotations(group: "none").annotations == [])
  }

  /// A file whose linker has dropped the records has none, and a file that never had any is no
  /// error.
  @Test func none() throws {
    let plain = try ELFFile(path: Places.program).annotations()
    #expect(plain.annotations == [] && plain.provenance == nil)
    let built = try AnnotatedFile(LinkMode(.lld, .shared))
    let path = built.directory.url.appending(path: "plain.so").path
    #expect(
      try run("llvm-objcopy", ["--remove-section=.note.rebind", built.path, path]).succeeded)
    let bytes = try Data(contentsOf: URL(filePath: path)).withoutSectionHeaders()
    let stripped = try ELFFile(path: built.write(bytes, as: "plain"))
    let error = #expect(throws: ELFFileError.self) { try stripped.annotations() }
    #expect(error?.code == .noSectionHeaders)
  }

  /// A broken record is reported, and the others are read.
  @Test func faults() throws {
    let built = try AnnotatedFile(LinkMode(.bfd, .shared))
    let file = try ELFFile(path: built.path)
    let annotations = try file.annotations().annotations
    let section = try #require(try file.sections().first { $0.name == "rebind_annotations" })
    let start = Int(try offset(of: section, in: file))
    var bytes = try built.bytes()
    // The second record is of another version; the third has an accessor that is no code.
    bytes[start + annotations[1].offset + 3] = 0x39
    let other = try ELFFile(path: built.write(bytes, as: "other")).annotations()
    #expect(other.annotations.map(\.key) == ["Mail", "calendar"])
    #expect(other.faults.map(\.reason) == [.version])
    #expect(other.faults.map(\.offset) == [annotations[1].offset])
    #expect(other.faults.first?.description.contains("offset 0x") == true)
  }

  @Test func accessorOutsideOfCode() throws {
    let built = try AnnotatedFile(LinkMode(.bfd, .fixedProgram))
    let file = try ELFFile(path: built.path)
    let section = try #require(try file.sections().first { $0.name == "rebind_annotations" })
    let last = try #require(try file.annotations().annotations.last)
    var bytes = try built.bytes()
    let place = Int(try offset(of: section, in: file)) + last.offset + 16
    withUnsafeBytes(of: section.address) { bytes.replaceSubrange(place..<place + 8, with: $0) }
    let other = try ELFFile(path: built.write(bytes, as: "other")).annotations()
    #expect(other.annotations.map(\.key) == ["Mail", "mail"])
    #expect(other.faults.map(\.reason) == [.accessor])
  }

  private func offset(of section: Section, in file: ELFFile) throws -> UInt64 {
    let segment = try #require(
      file.segments.first { $0.type == .load && $0.contains(section.address) })
    return section.address - segment.address + segment.fileOffset
  }

  private func check(_ found: FileAnnotations, of file: ELFFile) throws {
    #expect(found.faults == [])
    let annotations = found.annotations
    #expect(annotations.map(\.group) == ["modules", "services", "services"])
    #expect(annotations.map(\.key) == ["Mail", "mail", "calendar"])
    #expect(annotations.map(\.value) == ["", "Mail Service", ""])
    #expect(annotations.map(\.priority) == [0, 10, -3])
    try #require(annotations.count == 3)
    #expect(annotations[0].accessor == nil && annotations[1].accessor == nil)
    guard case .address(let address)? = annotations[2].accessor else {
      Issue.record("the accessor has no address")
      return
    }
    #expect(file.segments.contains { $0.permissions.contains(.execute) && $0.contains(address) })
  }
}
