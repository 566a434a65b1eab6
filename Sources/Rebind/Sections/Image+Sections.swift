#if os(Linux) && !REBIND_ELSEWHERE
extension Image {
  /// The sections of the image's file, in the order of their headers.
  ///
  /// - Throws: `SectionError`; see `sectionData(named:)`.
  /// - Complexity: O(sections). The file is read the first time.
  ///
  /// The corresponding C function is `crebind_sections`.
  public func sections() throws(SectionError) -> [Section] { try loadedSections(of: self) }

  /// The first section of this name that is loaded, with its contents.
  ///
  /// Section headers are not loaded. It asks the image's notes, which `REBIND_INDEX_SECTION` makes,
  /// then its file. The file must be proven to be the image's: it has the same build ID, or no
  /// build ID but the same headers and read-only segments.
  ///
  /// - Throws: `SectionError`; the code `noSection`, `notLoaded`, `noFile`, `otherFile`,
  ///   `noSectionHeaders` or `brokenFile` says why it failed.
  /// - Complexity: O(notes), and O(sections) without a note. The file is read the first time.
  ///
  /// The corresponding C function is `crebind_section_data`.
  public func sectionData(named name: String) throws(SectionError) -> SectionData {
    try loadedSectionData(of: self, named: name)
  }
}
#endif
