/// Where the parts of a note are.
///
/// The corresponding C type is `Elf64_Nhdr`, which is laid out as `Elf32_Nhdr`.
package struct NoteEntry {
  /// From the start of the bytes.
  package let position: Int
  package let type: UInt32
  /// The owner, mostly with a zero byte at the end.
  package let name: Range<Int>
  package let description: Range<Int>

  /// Calls `body` with each note.
  ///
  /// - Parameter alignment: The alignment of the segment or section. Notes with an alignment of 8
  ///   bytes have a segment or section of their own.
  package static func forEach(
    in words: Words, alignment: UInt64, _ body: (NoteEntry) throws(NoteFault) -> Void
  ) throws(NoteFault) {
    let alignment = alignment == 8 ? 8 : 4
    func aligned(_ position: Int) -> Int { (position + alignment - 1) & ~(alignment - 1) }

    var position = 0
    while words.bytes.count - position >= 12 {
      // Each is at most 2^32 - 1, so the sums fit.
      let nameSize = Int(words.word32(at: position))
      let size = Int(words.word32(at: position + 4))
      let name = position + 12
      let description = aligned(name + nameSize)
      guard description + size <= words.bytes.count else {
        throw NoteFault(how: "has a note that ends behind it", position: position)
      }
      try body(
        NoteEntry(
          position: position, type: words.word32(at: position + 8), name: name..<name + nameSize,
          description: description..<description + size))
      position = aligned(description + size)
    }
  }
}

/// A note that contradicts itself.
package struct NoteFault: Error {
  package let how: String
  /// From the start of the bytes that the note is in.
  package let position: Int
}
