import Rebind
import TestSupport

/// The sections of loaded images, with readelf as the witness.
@Suite(.measured) struct SectionTests {
  @Test(arguments: [nil, "libc.so.6"])
  func sectionsAreThoseOfTheFile(name: String?) throws {
    let image = try #require(try name.map { try Image.named($0) } ?? Image.main)
    let sections = try image.sections()
    // "  [ 1] .interp           PROGBITS        0000000000000318 000318 00001c 00   A  0   0  1"
    let rows = try lines(of: "readelf", ["--sections", "--wide", image.path])
      .compactMap { $0.firstMatch(of: /^ *\[ *([1-9]\d*)\] (.*)$/)?.2 }.map { words($0) }
    let named = sections.filter { !$0.name.isEmpty }
    try #require(rows.count == named.count)
    for (row, section) in zip(rows, named) {
      #expect(row[0] == section.name && section.type.name.map { $0 == row[1] } != false)
      // The zeros of thread-local variables are in no segment that is loaded.
      let isNowhere = section.flags.contains(.threadLocal) && section.type == .noBits
      #expect(isNowhere || number(row[2]) == section.address)
      #expect(number(row[4]) == section.size)
      #expect(number(row[5]) == section.entrySize && UInt64(row.last!) == section.alignment)
      #expect(section.provenance == .file(image.path))
    }
    let code = try #require(sections.first { $0.name == ".text" })
    #expect(code.flags == [.allocated, .executable])
    #expect(code.description.hasPrefix(".text PROGBITS AX 0x"))
  }

  @Test func contentsAreThoseInMemory() throws {
    let image = try Image.main
    let notes = try image.sectionData(named: ".note.gnu.build-id")
    #expect(notes.bytes.suffix(20) == image.buildID.map { $0.bytes[...] } ?? [])
    #expect(image.contains(notes.address) && notes.image == image)
    let zeros = try image.sectionData(named: ".bss")
    #expect(zeros.section.type == .noBits && zeros.count == zeros.section.size)
  }

  @Test func vdsoHasItsOwnHeaders() throws {
    let vdso = try #require(try Image.all.first { $0.role == .vdso })
    let strings = try vdso.sectionData(named: ".dynstr")
    #expect(strings.section.provenance == .memory)
    #expect(try strings.packedStrings().contains { $0.string.contains("gettime") })
  }

  @Test(arguments: [
    ("no such section", SectionError.Code.noSection), ("", .invalidArgument),
    (".text\0", .invalidArgument), (".shstrtab", .notLoaded), (".tbss", .notLoaded),
  ])
  func errorSaysWhy(name: String, code: SectionError.Code) throws {
    let image = try #require(try Image.named("libc.so.6"))
    let error = #expect(throws: SectionError.self) { try image.sectionData(named: name) }
    #expect(error?.code == code, "\(error!)")
    #expect(error?.image == image.path && error?.section == name)
  }

  @Test func viewsOfALibrary() async {
    await #expect(processExitsWith: .success) {
      let library = try AnnotatedLibrary()
      let handle = try OpenLibrary(library.path)
      let image = try #require(try Image.named(library.path))
      let names = try image.sectionData(named: "plugin_names")
      try #require(names.section.provenance == .note && names.count == 24)
      try #require(try names.pointedStrings().map(\.string) == ["one", "two"])
      let strings = try image.sectionData(named: "plugin_strings")
      try #require(strings.section.provenance == .file(library.path))
      try #require(try strings.packedStrings().map(\.string) == ["packed", "strings"])
      let numbers = try image.sectionData(named: "plugin_numbers").records(of: UInt32.self)
      try #require(numbers == [1, 2, 3])
      let error = #expect(throws: SectionError.self) {
        try image.sectionData(named: "plugin_outside").pointedStrings()
      }
      try #require(
        error?.description == "\(library.path): plugin_outside: at offset 0: the pointer 0x10 "
          + "leads out of the image's segments")
      // The contents keep the image.
      handle.close()
      try #require(try Image.named(library.path) == image)
      try #require(try names.pointedStrings().count == 2)
    }
  }

  @Test func imageGoesWithItsLastContents() async {
    await #expect(processExitsWith: .success) {
      let library = try AnnotatedLibrary()
      let handle = try OpenLibrary(library.path)
      let image = try #require(try Image.named(library.path))
      do {
        let names = try image.sectionData(named: "plugin_names")
        handle.close()
        try #require(try Image.named(library.path) != nil)
        withExtendedLifetime(names) {}
      }
      try #require(try Image.named(library.path) == nil)
      let error = #expect(throws: SectionError.self) {
        try image.sectionData(named: "plugin_names")
      }
      try #require(error?.code == .noSuchImage)
    }
  }
}
