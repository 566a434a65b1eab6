import ELFInspection
import Rebind
import RebindFiles
import TestSupport

/// Files whose tables lie over each other take neither all memory nor endless time.
@Suite(.measured(limit: 120)) struct HostileFileTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Each section's name is as long as all of them together.
  @Test func names() throws {
    let contents = Data(repeating: 0x78, count: 2 << 20) + [0]
    let file = try open(
      CraftedFile(contents: contents, sections: .init(repeating: .init(type: 1), count: 20_000)))
    let error = #expect(throws: ELFFileError.self) { try file.sectionData(named: "xx") }
    #expect(error?.code == .noSection)
    #expect(#expect(throws: ELFFileError.self) { try file.sections() }?.code == .tooLarge)
  }

  /// Each library's name is as long as all strings together.
  @Test func neededNames() throws {
    let count = 20_000
    let strings = Data(repeating: 0x78, count: (1 << 20) - 1) + [0]
    let entries: [(Int64, Int)] = [(5, 0), (10, strings.count)] + (0..<count).map { (1, $0) }
    var contents = strings
    for (tag, value) in entries { contents += encoded(tag) + encoded(UInt64(value)) }
    let file = try open(
      CraftedFile(
        contents: contents,
        segments: [
          .init(type: 1, size: contents.count),
          .init(type: 2, offset: strings.count, size: contents.count - strings.count),
        ]))
    #expect(#expect(throws: ELFFileError.self) { try file.dynamicTable }?.code == .tooLarge)
  }

  /// Each segment holds all sections.
  @Test func segmentsAroundAllSections() throws {
    let file = try open(
      CraftedFile(
        contents: Data(count: 16), sections: .init(repeating: .init(type: 1), count: 10_000),
        segments: .init(repeating: .init(type: 1, size: 16), count: 10_000)))
    let error = #expect(throws: ELFFileError.self) { try file.segmentTable }
    #expect(error?.code == .unsupported)
  }

  @Test func sectionsOverEachOther() throws {
    let contents = Data("rebind_annotations\0".utf8) + Data(count: 1 << 20)
    let section = CraftedFile.Section(type: 1, size: 1 << 20)
    let file = try open(
      CraftedFile(contents: contents, sections: .init(repeating: section, count: 300)))
    let error = #expect(throws: ELFFileError.self) { try file.annotations() }
    #expect(error?.code == .tooLarge)
    let one = try open(CraftedFile(contents: contents, sections: [section]))
    #expect(try one.annotations().annotations.isEmpty)
  }

  @Test func notesOverEachOther() throws {
    // A note without owner that has all of the rest.
    var contents = Data(count: 1 << 20)
    contents.replaceSubrange(4..<8, with: encoded(UInt32(contents.count - 12)))
    let section = CraftedFile.Section(type: 7, size: contents.count)
    let file = try open(
      CraftedFile(contents: contents, sections: .init(repeating: section, count: 300)))
    let error = #expect(throws: ELFFileError.self) { try file.notes }
    #expect(error?.code == .tooLarge)
    let one = try open(CraftedFile(contents: contents, sections: [section]))
    #expect(try one.notes.count == 1)
  }

  @Test func manyIndexNotes() throws {
    let count = 30_000
    var contents = Data()
    for number in 0..<count {
      // The distances are from their fields, and differ.
      contents += encoded(UInt32(7)) + encoded(UInt32(20)) + encoded(UInt32(1))
      contents += Data("Rebind\0\0".utf8)
      contents += encoded(UInt64(number)) + encoded(UInt64(number)) + Data("abc\0".utf8)
    }
    let file = try open(
      CraftedFile(
        contents: contents, segments: [.init(type: 4, size: contents.count, alignment: 4)]))
    let error = #expect(throws: ELFFileError.self) { try file.sectionData(named: "none") }
    #expect(error?.code == .noSectionHeaders)
  }

  @Test(.notInCheck) func manyFolders() throws {
    let count = 20_000
    let folders = (0..<count).map { "/nowhere/\($0)" }.joined(separator: ":")
    let strings = Data("\0libnone.so\0".utf8) + Data(folders.utf8) + [0]
    let entries: [(Int64, Int)] = [(5, 0), (10, strings.count), (1, 1), (29, 12), (0, 0)]
    var contents = strings + Data(count: -strings.count & 7)
    let dynamic = contents.count
    for (tag, value) in entries { contents += encoded(tag) + encoded(UInt64(value)) }
    let file = try open(
      CraftedFile(
        contents: contents,
        segments: [
          .init(type: 1, size: contents.count),
          .init(type: 2, offset: dynamic, size: contents.count - dynamic),
        ]))
    let graph = try LibraryResolver(LibrarySearch()).graph(of: file)
    #expect(graph.missing.map(\.name) == ["libnone.so"])
    #expect((graph.missing.first?.searched.count ?? 0) >= count)
  }

  /// The result is that of looking at each range in turn.
  @Test func ranges() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let ranges = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
        let start = UInt64.random(in: 0...40, using: &generator)
        return start..<start + .random(in: 0...12, using: &generator)
      }
      let found = AddressRanges(ranges)
      for address in 0...UInt64(60) {
        #expect(
          found.index(of: address) == ranges.firstIndex { $0.contains(address) }, "\(ranges)")
      }
    }
    let last = UInt64.max
    #expect(AddressRanges([last - 1..<last]).index(of: last) == nil)
  }

  private func open(_ crafted: CraftedFile) throws -> ELFFile {
    let url = directory.url.appending(path: "crafted")
    try crafted.bytes.write(to: url)
    return try ELFFile(path: url.path)
  }
}

/// An ELF file of 64 bits and this machine's byte order, of tables that need not make sense.
private struct CraftedFile {
  struct Section {
    var type: UInt32
    var size = 0
  }

  struct Segment {
    var type: UInt32
    /// From the start of the contents, which is at the address 0.
    var offset = 0
    var size: Int
    var alignment = 8
  }

  /// The bytes that the sections and segments lie in; the sections start where it does, and their
  /// names too.
  var contents: Data
  var sections: [Section] = []
  var segments: [Segment] = []

  var bytes: Data {
    let sectionCount = sections.isEmpty ? 0 : sections.count + 2
    let start = 64 + 56 * segments.count + 64 * sectionCount
    var file = Data([0x7f, 0x45, 0x4c, 0x46, 2, ByteOrder.host.rawValue, 1]) + Data(count: 9)
    file += encoded(UInt16(3)) + encoded(UInt16(62))
    file += encoded(UInt32(1)) + encoded(UInt64(0))
    file += encoded(UInt64(segments.isEmpty ? 0 : 64))
    file += encoded(UInt64(sections.isEmpty ? 0 : 64 + 56 * segments.count))
    file += encoded(UInt32(0))
    let last = UInt16(sections.isEmpty ? 0 : sectionCount - 1)
    for number in [64, 56, UInt16(segments.count), 64, UInt16(sectionCount), last] {
      file += encoded(number)
    }
    for segment in segments {
      file += encoded(segment.type) + encoded(UInt32(4))
      file += encoded(UInt64(start + segment.offset))
      for number in [
        segment.offset, segment.offset, segment.size, segment.size, segment.alignment,
      ] {
        file += encoded(UInt64(number))
      }
    }
    if !sections.isEmpty {
      file += Data(count: 64)
      for section in sections + [Section(type: 3, size: contents.count)] {
        file += encoded(UInt32(0)) + encoded(section.type)
        for number in [0, 0, start, section.size] { file += encoded(UInt64(number)) }
        file += encoded(UInt64(0))
        file += encoded(UInt64(4)) + encoded(UInt64(0))
      }
    }
    return file + contents
  }
}

/// The bytes of a number as this machine has them.
private func encoded(_ number: some FixedWidthInteger) -> Data {
  withUnsafeBytes(of: number) { Data($0) }
}
