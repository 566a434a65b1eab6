import Rebind

extension ELFFile {
  /// The annotations of the file, and the parts of their section that are no records.
  ///
  /// They are found by the section headers, and if these are stripped by the note that the
  /// file carries. Accessors are never called.
  ///
  /// - Parameter group: Only those of this group, and all faults; nil for all.
  /// - Throws: `ELFFileError`; the code is `no-section-headers` if neither header nor note can say
  ///   whether the file has any. A file without the section has no annotations, and that is no
  ///   error.
  /// - Complexity: O(sections + relocations + size of the section).
  public func annotations(group: String? = nil) throws(ELFFileError) -> FileAnnotations {
    var found = FileAnnotations()
    let sections = try allSectionContents(named: FileAnnotations.sectionName)
    if sections.isEmpty, sectionHeaders.isEmpty {
      throw reader.error(.noSectionHeaders(FileAnnotations.sectionName), field: nil, at: nil)
    }
    for section in sections {
      found.provenance = found.provenance ?? section.section.provenance
      AnnotationRecords.read(
        section.bytes, elfClass, byteOrder, group: group, into: &found
      ) { word, offset in
        let address = section.section.address &+ UInt64(offset)
        guard let target = section.memory.pointer(word, at: address) else { return .unresolved }
        if target == 0 { return .none }
        return segments.contains {
          $0.type == .load && $0.permissions.contains(.execute) && $0.contains(target)
        } ? .address(target) : .outside
      }
    }
    return found
  }
}
