package import Rebind
package import RebindFiles

/// A note of a file.
package struct FileNote {
  /// The section that it is in; nil if a program header led to it.
  package let section: String?
  /// Where it is in the file.
  package let offset: UInt64
  /// The owner, who defines the type: `GNU`.
  package let owner: String
  package let type: UInt32
  package let bytes: [UInt8]
  /// The meaning of the bytes; nil if that is not known here, or not with these bytes.
  package let content: NoteContent?
}

extension ELFFile {
  /// The notes of the file, by its section headers, or else by its program headers.
  ///
  /// Section headers have more of them: probes are not loaded.
  ///
  /// - Complexity: O(size of the notes).
  package var notes: [FileNote] {
    get throws(ELFFileError) {
      var notes: [FileNote] = []
      var total: UInt64 = 0
      let names = try SectionNames(of: self)
      for (index, header) in sectionHeaders.enumerated() where header.type == .note {
        try readNotes(
          at: header.offset, size: header.size, address: header.address, header.alignment,
          section: try names.name(of: header, at: index), into: &notes, &total)
      }
      guard notes.isEmpty, !isDebugFile else { return notes }
      for segment in segments where segment.type == .note && segment.fileSize > 0 {
        try readNotes(
          at: segment.fileOffset, size: segment.fileSize, address: segment.address,
          segment.alignment, section: nil, into: &notes, &total)
      }
      return notes
    }
  }

  /// The identifier of the build, by the file's notes; nil if it has none. The corresponding note
  /// is `NT_GNU_BUILD_ID`.
  package var buildID: BuildID? {
    get throws(ELFFileError) {
      for note in try notes {
        if case .buildID(let buildID)? = note.content { return buildID }
      }
      return nil
    }
  }

  private func readNotes(
    at offset: UInt64, size: UInt64, address: UInt64, _ alignment: UInt64, section: String?,
    into notes: inout [FileNote], _ total: inout UInt64
  ) throws(ELFFileError) {
    let field = section.map { "section \($0)" } ?? "PT_NOTE"
    let data = try reader.data(at: offset, size: size, as: .bytes, field: field)
    // Sections may lie over each other, and all notes are kept.
    total += size
    guard total <= ELFReader.largestTable else {
      throw data.error(.tooLarge(size: total), field: "the notes up to \(field)")
    }
    let words = Words(bytes: data.bytes, elfClass: elfClass, byteOrder: byteOrder)
    do throws(NoteFault) {
      try NoteEntry.forEach(in: words, alignment: alignment) { note in
        let owner = String(
          decoding: data.bytes[note.name].prefix { $0 != 0 }, as: UTF8.self)
        notes.append(
          FileNote(
            section: section, offset: offset + UInt64(note.position), owner: owner,
            type: note.type, bytes: Array(data.bytes[note.description]),
            content: NoteContent(
              of: note, owner, in: words, at: address, machine, isRelocatable: isRelocatable)))
      }
    } catch {
      throw data.error(.malformed(error.how), field: field, distance: error.position)
    }
  }
}
