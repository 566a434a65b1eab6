import CLibelf
import Glibc
package import ELFVocabulary
import Rebind

/// A section that a note describes.
package struct IndexedSection: Hashable {
  package let name: String
  /// Its link-time address.
  package let address: UInt64
  package let size: UInt64

  /// The section that it describes, with the permissions of its segment.
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
  /// The sections that a file's notes describe, each once.
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
    var known: Set<IndexedSection> = []
    return found.filter { known.insert($0).inserted }
  }

  /// Adds the sections that the notes of one segment describe.
  package static func read(
    _ bytes: UnsafeRawBufferPointer, _ segment: Segment, _ elfClass: ELFClass,
    _ byteOrder: ByteOrder, into found: inout [IndexedSection]
  ) throws(NoteFault) {
    let words = Words(bytes: bytes, elfClass: elfClass, byteOrder: byteOrder)
    try NoteEntry.forEach(in: words, alignment: segment.alignment) { note throws(NoteFault) in
      guard note.type == 1, bytes[note.name].elementsEqual("Rebind\0".utf8) else { return }
      found.append(try section(words, note.description, segment.address))
    }
  }

  /// The section that a note describes; `address` is that of the bytes that the note is in.
  package static func section(
    _ words: Words, _ description: Range<Int>, _ address: UInt64
  ) throws(NoteFault) -> IndexedSection {
    let (position, size) = (description.lowerBound, description.count)
    let word = words.elfClass.addressSize
    guard size > 2 * word, words.bytes[position + size - 1] == 0 else {
      throw NoteFault(how: "has a note of a section without its name", position: position)
    }
    // Each distance is from its own field; sums wrap as addresses do.
    let start = words.address(address, plus: position, at: position)
    let end = words.address(address, plus: position + word, at: position + word)
    guard start <= end else {
      throw NoteFault(how: "has a note of a section that ends before it starts", position: position)
    }
    let name = words.bytes[(position + 2 * word)..<(position + size)].prefix { $0 != 0 }
    return IndexedSection(
      name: String(decoding: name, as: UTF8.self), address: start, size: end - start)
  }
}
