package import Rebind

/// A section as its file has it: Rebind's `Section`, and its place in the file.
///
/// The corresponding C types are `Elf32_Shdr` and `Elf64_Shdr`.
package struct FileSection {
  /// Its place among the section headers; nil if a note describes it.
  package let index: Int?
  package let section: Section
  /// Where its bytes are in the file: `sh_offset`. Nil for one of a note without bytes.
  package let fileOffset: UInt64?
  /// The index of another section, by the type: `sh_link`.
  package let link: UInt32
  /// A number that depends on the type: `sh_info`.
  package let info: UInt32
}

extension ELFFile {
  /// The section headers, without the null section; without section headers, the sections that
  /// notes of the file describe.
  ///
  /// - Complexity: O(*n*), where *n* is the number of sections.
  package var sectionTable: [FileSection] {
    get throws(ELFFileError) {
      if sectionHeaders.isEmpty { return try notedSections }
      let names = try SectionNames(of: self)
      var sections: [FileSection] = []
      for (index, header) in sectionHeaders.enumerated().dropFirst()
      where header.type != .null {
        sections.append(
          FileSection(
            index: index,
            section: header.section(named: try names.name(of: header, at: index), path: path),
            fileOffset: header.offset, link: header.link, info: header.info))
      }
      return sections
    }
  }

  private var notedSections: [FileSection] {
    get throws(ELFFileError) {
      var sections: [FileSection] = []
      for note in isRelocatable ? [] : try IndexNotes.sections(of: self) {
        let segment = segments.first { $0.type == .load && $0.contains(note.address) }
        sections.append(
          FileSection(
            index: nil, section: note.section(segment?.permissions ?? []),
            fileOffset: note.size == 0
              ? nil : try locate(note.address, field: "section \(note.name)").offset,
            link: 0, info: 0))
      }
      return sections
    }
  }
}
