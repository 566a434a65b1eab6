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
  /// Section headers are not loaded. The image's notes are asked, which
  /// `REBIND_INDEX_SECTION` makes, then its file, if that is proven to be the image's: it has
  /// the same build ID, or no build ID but the same headers and read-only segments.
  ///
  /// - Throws: `SectionError` with the code `noSection`, `notLoaded`, `noFile`, `otherFile`,
  ///   `noSectionHeaders` or `brokenFile`, which say why there is no answer.
  /// - Complexity: O(notes), and O(sections) without a note. The file is read the first time.
  ///
  /// The corresponding C function is `crebind_section_data`.
  public func sectionData(named name: String) throws(SectionError) -> SectionData {
    try loadedSectionData(of: self, named: name)
  }
}
