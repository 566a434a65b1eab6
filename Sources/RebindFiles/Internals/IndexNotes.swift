import CLibelf
import Glibc
package import Rebind

/// A section that a note tells of.
package struct IndexedSection {
  package let name: String
  /// Its link-time address.
  package let address: UInt64
  package let size: UInt64

  /// What is known of it; the permissions are those of its segment.
  func section(_ permissions: SegmentPermissions) -> Section {
    var flags: SectionFlags = .allocated
    if permissions.contains(.write) { flags.insert(.writable) }
    if permissions.contains(.execute) { flags.insert(.executable) }
    return Section(name: name, address: address, size: size, flags: flags, provenance: .note)
  }
}

/// The notes that tell where sections are, which Documentation/ABI/Annotations.md describes. The
/// corresponding segment is `PT_NOTE`.
package enum IndexNotes {
  /// The sections that a file's notes tell of, each once.
  static func sections(of file: ELFFile) throws(ELFFileError) -> [IndexedSection] {
    guard !file.isDebugFile else { return [] }
    var found: [IndexedSection] = []
    for segment in file.segments where segment.type == .note && segment.fileSize > 0 {
      let data = try file.reader.data(
        at: segment.fileOffset, size: segment.fileSize, as: .bytes, field: "PT_NOTE")
      do throws(NoteFault) {
        try read(data.bytes, segment, file.elfClass, file.byteOrder, into: &found)
      } catch {
        throw data.error(.malformed(error.how), field: "PT_NOTE", distance: error.position)
      }
    }
    return found
  }

  /// A note that contradicts itself.
  package struct NoteFault: Error {
    package let how: String
    /// From the segment's start.
    package let position: Int
  }

  /// Adds the sections that the notes of one segment tell of.
  package static func read(
    _ bytes: UnsafeRawBufferPointer, _ segment: Segment, _ elfClass: ELFClass,
    _ byteOrder: ByteOrder, into found: inout [IndexedSection]
  ) throws(NoteFault) {
    let words = Words(bytes: bytes, elfClass: elfClass, byteOrder: byteOrder)
    let alignment = segment.alignment == 8 ? 8 : 4
    func aligned(_ position: Int) -> Int { (position + alignment - 1) & ~(alignment - 1) }

    var position = 0
    while bytes.count - position >= 12 {
      // Each is at most 2^32 - 1, so the sums fit.
      let nameSize = Int(words.word32(at: position))
      let size = Int(words.word32(at: position + 4))
      let type = words.word32(at: position + 8)
      let name = position + 12
      let description = aligned(name + nameSize)
      guard description + size <= bytes.count else {
        throw NoteFault(how: "has a note that ends behind it", position: position)
      }
      if type == 1, bytes[name..<name + nameSize].elementsEqual("Rebind\0".utf8) {
        let section = try section(words, description, size, segment)
        if !found.contains(where: { $0.name == section.name && $0.address == section.address }) {
          found.append(section)
        }
      }
      position = aligned(description + size)
    }
  }

  private static func section(
    _ words: Words, _ position: Int, _ size: Int, _ segment: Segment
  ) throws(NoteFault) -> IndexedSection {
    let word = words.elfClass.addressSize
    guard size > 2 * word, words.bytes[position + size - 1] == 0 else {
      throw NoteFault(how: "has a note of a section without its name", position: position)
    }
    // Each distance is from its own field; sums wrap as addresses do.
    let start = words.address(segment.address, plus: position, at: position)
    let end = words.address(segment.address, plus: position + word, at: position + word)
    guard start <= end else {
      throw NoteFault(how: "has a note of a section that ends before it starts", position: position)
    }
    let name = words.bytes[(position + 2 * word)..<(position + size)].prefix { $0 != 0 }
    return IndexedSection(
      name: String(decoding: name, as: UTF8.self), address: start, size: end - start)
  }
}
