public import Rebind

extension ELFFile {
  /// The section headers, in their order and without the null section; empty if they are stripped.
  ///
  /// - Throws: `ELFFileError` if a name is not inside the section of names.
  /// - Complexity: O(*n*), where *n* is the number of sections.
  ///
  /// The corresponding fields are `e_shoff` and `e_shstrndx`.
  public func sections() throws(ELFFileError) -> [Section] {
    sectionHeaders.isEmpty ? [] : try sectionTable.map(\.section)
  }

  /// The first section of this name, with its contents: decompressed, and with what its pointers
  /// lead to. If the file has no section headers, this is a section that a note of the file
  /// describes.
  ///
  /// In a file, the words of a position-independent image are not what they are in memory: the
  /// loader relocates them. `SectionData` follows pointers by their future values, counted from the
  /// link-time address. A pointer to another image's symbol has no value before it is loaded; in a
  /// relocatable file, no pointer has one. `bytes` are those of the file.
  ///
  /// - Throws: `ELFFileError`; the code is `no-section` or `no-section-headers` if the section does
  ///   not exist, and `unsupported` if the file does not hold its bytes or compresses them in an
  ///   unknown way. More than 256 MiB are `too-large`; other codes are for files that contradict
  ///   themselves.
  /// - Complexity: O(sections + relocations + size).
  public func sectionData(named name: String) throws(ELFFileError) -> SectionData {
    try sectionContents(named: name).data(of: self)
  }

  /// The same section, for callers that look at its words themselves.
  package func sectionContents(named name: String) throws(ELFFileError) -> SectionContents {
    guard let contents = try allSectionContents(named: name).first else {
      throw reader.error(
        sectionHeaders.isEmpty ? .noSectionHeaders(name) : .noSection(name), field: nil, at: nil)
    }
    return contents
  }

  /// Calls `body` with the bytes of the first section of this name. A section that is not compressed may
  /// be too large to hold in memory, so it comes in pieces.
  package func forEachPiece(
    ofSection name: String, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(ELFFileError) {
    let names = try SectionNames(of: self)
    let header = sectionHeaders.dropFirst().first {
      $0.type != .null && names.isName(of: $0, name)
    }
    guard let header, header.type != .noBits, !header.flags.contains(.compressed) else {
      return try sectionContents(named: name).bytes.withUnsafeBytes(body)
    }
    let field = "section \(name)"
    try reader.check(header.offset, header.size, field: field)
    var done: UInt64 = 0
    while done < header.size {
      let size = min(header.size - done, ELFReader.largestTable / 4)
      body(try reader.data(at: header.offset + done, size: size, as: .bytes, field: field).bytes)
      done += size
    }
  }

  /// All sections of this name: an object file may have several. Empty without one.
  package func allSectionContents(named name: String) throws(ELFFileError) -> [SectionContents] {
    let names = try SectionNames(of: self)
    let indices = sectionHeaders.indices.dropFirst().filter {
      sectionHeaders[$0].type != .null && names.isName(of: sectionHeaders[$0], name)
    }
    // A note of an object file is not relocated yet.
    if indices.isEmpty, isRelocatable { return [] }
    let segments = try SegmentBytes(of: self)
    if indices.isEmpty {
      let note = try IndexNotes.sections(of: self).first { $0.name == name }
      return try note.map { note throws(ELFFileError) in [try contents(of: note, segments)] } ?? []
    }
    let relocations = try FileRelocations.ofSections(indices, in: self)
    var found: [SectionContents] = []
    var total: UInt64 = 0
    for index in indices {
      let header = sectionHeaders[index]
      let bytes = try bytes(of: header, at: index, named: name)
      // Sections may lie over each other, and the bytes of each are copied.
      total += UInt64(bytes.count)
      guard total <= ELFReader.largestTable else {
        throw reader.error(
          .tooLarge(size: total), field: "all of section \(name)", at: header.offset)
      }
      found.append(
        SectionContents(
          section: header.section(named: name, path: path), offset: header.offset, bytes: bytes,
          memory: FileMemory(of: self, segments, relocations[index] ?? FileRelocations())))
    }
    return found
  }

  private func bytes(
    of header: SectionHeader, at index: Int, named name: String
  ) throws(ELFFileError) -> [UInt8] {
    let field = "section \(name)"
    guard header.type != .noBits else {
      throw reader.error(
        .unsupported("is SHT_NOBITS: the file does not hold its bytes"), field: field, at: nil)
    }
    if let compressed = try CompressedSection(of: self, header, at: index, named: name) {
      return try compressed.decompressed()
    }
    return Array(
      try reader.data(at: header.offset, size: header.size, as: .bytes, field: field).bytes)
  }

  private func contents(
    of note: IndexedSection, _ segments: SegmentBytes
  ) throws(ELFFileError) -> SectionContents {
    let field = "section \(note.name)"
    var offset: UInt64 = 0
    var bytes: [UInt8] = []
    var permissions: SegmentPermissions = []
    if note.size > 0 {
      let (start, available) = try locate(note.address, field: field)
      guard note.size <= available else {
        throw reader.error(
          .malformed("has \(note.size) bytes by its note, its segment \(available)"),
          field: field, at: start)
      }
      offset = start
      bytes = Array(try reader.data(at: start, size: note.size, as: .bytes, field: field).bytes)
      permissions =
        self.segments.first { $0.type == .load && $0.contains(note.address) }?.permissions ?? []
    }
    return SectionContents(
      section: note.section(permissions), offset: offset, bytes: bytes,
      memory: FileMemory(
        of: self, segments,
        try FileRelocations(of: self, addresses: note.address, size: note.size)))
  }
}
