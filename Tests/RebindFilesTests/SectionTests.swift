import Rebind
import RebindFiles
import TestSupport

/// The sections of files that are not loaded, and what is in them.
@Suite(.measured) struct SectionTests {
  /// The pointers of a section lead to their strings, however the linker stored them.
  @Test(arguments: LinkMode.all)
  func pointers(_ mode: LinkMode) throws {
    let built = try AnnotatedFile(mode)
    let data = try ELFFile(path: built.path).sectionData(named: "names")
    try #require(data.count == 40 && data.image == nil && data.path == built.path)
    #expect(data.section.provenance == .file(built.path))
    let strings = try data.pointedStrings()
    #expect(strings.prefix(2).map(\.string) == ["first name", "second"])
    #expect(strings.map(\.offset).prefix(2) == [0, 8])
    // The two after them lead to the bytes of integers: 4, and zeros of .bss.
    #expect(strings.dropFirst(2).map(\.bytes) == [[4], []])
  }

  /// This is what that test is about: the linkers do store them in different ways.
  @Test func theFixturesDiffer() throws {
    let lld = try AnnotatedFile(LinkMode(.lld, .shared))
    let zeros = try ELFFile(path: lld.path).sectionData(named: "names").bytes
    #expect(zeros.allSatisfy { $0 == 0 })
    for linker in [LinkMode.Linker.bfd, .lld] {
      let packed = try AnnotatedFile(LinkMode(linker, .packedRelocations))
      #expect(try run("readelf", ["-dW", packed.path]).output.contains("(RELR)"))
    }
    let i386 = try AnnotatedFile(target: "i386-linux-gnu")
    #expect(try run("readelf", ["-dW", i386.path]).output.contains("(REL)"))
  }

  @Test(
    arguments: AnnotatedFile.foreignTargets,
    [[], ["-z", "pack-relative-relocs"], ["--pack-dyn-relocs=android"]])
  func otherMachines(target: String, linkerFlags: [String]) throws {
    let built = try AnnotatedFile(target: target, linkerFlags: linkerFlags)
    let file = try ELFFile(path: built.path)
    let data = try file.sectionData(named: "names")
    // The fourth is another image's.
    let error = #expect(throws: SectionError.self) { try data.pointedStrings() }
    #expect(error?.code == .pointerUnresolved)
    #expect(error?.offset == 3 * file.elfClass.addressSize)
    let address = try #require(try file.sections().first { $0.name == "names" }?.address)
    #expect(data.address == address)
  }

  /// No pointer of an object file has a value yet.
  @Test func objectFile() throws {
    let built = try AnnotatedFile(object: .gcc)
    let data = try ELFFile(path: built.path).sectionData(named: "names")
    let error = #expect(throws: SectionError.self) { try data.pointedStrings() }
    #expect(error?.code == .pointerUnresolved && error?.offset == 0)
  }

  @Test func headersAreThoseOfReadelf() throws {
    let built = try AnnotatedFile(LinkMode(.bfd, .program))
    let sections = try ELFFile(path: built.path).sections()
    let lines = try run("readelf", ["-SW", built.path]).output.split(separator: "\n")
    // [Nr] Name Type Address Off Size ES Flg Lk Inf Al
    let fields = lines.compactMap { line -> [Substring]? in
      guard let end = line.firstIndex(of: "]"), line.contains("[") else { return nil }
      return line[end...].dropFirst().split(separator: " ")
    }.filter { $0.count >= 9 && $0[0] != "Name" && $0[0] != "NULL" }
    try #require(sections.count > 20 && fields.count == sections.count)
    for (section, field) in zip(sections, fields) {
      #expect(section.name == field[0])
      #expect(section.address == UInt64(field[2], radix: 16))
      #expect(section.size == UInt64(field[4], radix: 16))
      #expect(section.entrySize == UInt64(field[5], radix: 16))
      #expect(section.alignment == field.last.flatMap { UInt64($0) })
    }
  }

  @Test func bytesAreThoseOfReadelf() throws {
    let built = try AnnotatedFile(LinkMode(.bfd, .program))
    let file = try ELFFile(path: built.path)
    let dumped = built.directory.url.appending(path: "dump")
    #expect(
      try run(
        "llvm-objcopy", ["--dump-section=.rodata=\(dumped.path)", built.path, "/dev/null"]
      ).succeeded)
    #expect(try file.sectionData(named: ".rodata").bytes == Array(Data(contentsOf: dumped)))
    let comments = try file.sectionData(named: ".comment").packedStrings().map(\.string)
    let readelf = try run("readelf", ["-p", ".comment", built.path]).output
    #expect(!comments.isEmpty && comments.allSatisfy { readelf.contains($0) })
  }

  @Test func compressed() throws {
    let plain = try AnnotatedFile(LinkMode(.bfd, .shared), flags: ["-g"])
    let packed = try AnnotatedFile(LinkMode(.bfd, .shared), flags: ["-g", "-gz=zlib"])
    let sections = try ELFFile(path: packed.path).sections()
    let section = try #require(sections.first { $0.name == ".debug_str" })
    #expect(section.flags.contains(.compressed))
    let strings = try ELFFile(path: packed.path).sectionData(named: ".debug_str")
    #expect(
      try Set(strings.packedStrings().map(\.string)).isSuperset(of: ["rebind_accessor", "exported"])
    )
    #expect(UInt64(strings.count) > section.size)
    let info = try ELFFile(path: plain.path).sectionData(named: ".debug_abbrev").bytes
    #expect(try ELFFile(path: packed.path).sectionData(named: ".debug_abbrev").bytes == info)
  }

  /// Nothing is decompressed that its header states to be more than it can be.
  @Test(arguments: [
    (1 as UInt32, 1 << 40 as UInt64, ELFFileError.Code.tooLarge), (1, 200 << 20, .malformed),
    (9, 100, .unsupported),
  ])
  func bomb(type: UInt32, size: UInt64, code: ELFFileError.Code) throws {
    let built = try AnnotatedFile(LinkMode(.bfd, .shared), flags: ["-g", "-gz=zlib"])
    var bytes = try built.bytes()
    let header = try compressionHeader(of: built.path)
    withUnsafeBytes(of: type) { bytes.replaceSubrange(header..<header + 4, with: $0) }
    withUnsafeBytes(of: size) { bytes.replaceSubrange(header + 8..<header + 16, with: $0) }
    let file = try ELFFile(path: built.write(bytes, as: "bomb"))
    let error = #expect(throws: ELFFileError.self) { try file.sectionData(named: ".debug_str") }
    #expect(error?.code == code)
  }

  /// An older libelf has zlib alone, and says so.
  @Test func zstd() throws {
    let built = try AnnotatedFile(LinkMode(.bfd, .shared), flags: ["-g", "-gz=zlib"])
    var bytes = try built.bytes()
    bytes[try compressionHeader(of: built.path)] = 2
    let file = try ELFFile(path: built.write(bytes, as: "zstd"))
    let error = #expect(throws: ELFFileError.self) { try file.sectionData(named: ".debug_str") }
    #expect(error?.code == .unsupported)
  }

  @Test func absent() throws {
    let built = try AnnotatedFile(LinkMode(.bfd, .shared))
    let file = try ELFFile(path: built.path)
    let stripped = try ELFFile(path: built.stripped())
    func code(_ file: ELFFile, _ name: String) -> ELFFileError.Code? {
      #expect(throws: ELFFileError.self) { try file.sectionData(named: name) }?.code
    }
    #expect(code(file, "nowhere") == .noSection)
    #expect(code(file, ".bss") == .unsupported)
    #expect(code(stripped, "names") == .noSectionHeaders)
    #expect(try stripped.sections() == [])
    // A note describes this one.
    #expect(try stripped.sectionData(named: "rebind_annotations").section.provenance == .note)
  }

  private func compressionHeader(of path: String) throws -> Int {
    let lines = try run("readelf", ["-SW", path]).output.split(separator: "\n")
    let fields = try #require(lines.first { $0.contains(" .debug_str ") }).split(separator: " ")
    let place = try #require(fields.firstIndex(of: "PROGBITS"))
    return try #require(Int(fields[place + 2], radix: 16))
  }
}
