import Rebind
package import RebindFiles

/// The versions of symbols that a file knows of.
package struct FileVersions {
  /// The versions that the file defines. The corresponding tag is `DT_VERDEF`.
  package var definitions: [Definition] = []
  /// The versions that the file needs, by the image that should have them. The corresponding tag is
  /// `DT_VERNEED`.
  package var needs: [Need] = []

  /// A version that the file defines. The corresponding C type is `Elf64_Verdef`.
  package struct Definition {
    /// The entry for it in the table of the symbols' versions.
    package let index: Int
    package let name: String
    /// The versions that it comes after.
    package let parents: [String]
    package let flags: UInt16
    package let hash: UInt32
  }

  /// The versions that the file needs of one image. The corresponding C type is `Elf64_Verneed`.
  package struct Need {
    /// The soname of the image.
    package let file: String
    package var versions: [Version] = []

    /// The corresponding C type is `Elf64_Vernaux`.
    package struct Version {
      package let index: Int
      package let name: String
      package let flags: UInt16
      package let hash: UInt32
    }
  }
}

extension FileVersions {
  init(of file: ELFFile, _ dynamic: DynamicEntries) throws(ELFFileError) {
    guard dynamic[.definedVersions] != nil || dynamic[.neededVersions] != nil else { return }
    self = try file.readingNames(dynamic) { strings throws(ELFFileError) in
      try Self(of: file, dynamic, strings)
    }
  }

  private init(
    of file: ELFFile, _ dynamic: DynamicEntries, _ strings: StringTable
  ) throws(ELFFileError) {
    var (definitions, needs): ([Definition], [Need]) = ([], [])
    try VersionRecords.forEachDefinition(of: file, dynamic, strings: strings) {
      record throws(ELFFileError) in
      definitions.append(
        Definition(
          index: record.index.number, name: try strings.text(at: record.names[0]),
          parents: try record.names.dropFirst().map { name throws(ELFFileError) in
            try strings.text(at: name)
          },
          flags: record.flags, hash: record.hash))
    }
    try VersionRecords.forEachNeed(of: file, dynamic, strings: strings) {
      record throws(ELFFileError) in
      if record.isFirst { needs.append(Need(file: try strings.text(at: record.file))) }
      needs[needs.count - 1].versions.append(
        Need.Version(
          index: record.index.number, name: try strings.text(at: record.name),
          flags: record.flags, hash: record.hash))
    }
    (self.definitions, self.needs) = (definitions, needs)
  }

  /// A version that stands for the file itself. The corresponding constant is `VER_FLG_BASE`.
  package static var base: UInt16 { 1 }
  /// A version that may be missing. The corresponding constant is `VER_FLG_WEAK`.
  package static var weak: UInt16 { 2 }
}

extension ELFFile {
  /// The versions of symbols that the file defines, and those that it needs of others.
  ///
  /// - Complexity: O(versions).
  package var versions: FileVersions {
    get throws(ELFFileError) {
      guard let dynamic = try DynamicEntries(of: self) else { return FileVersions() }
      return try FileVersions(of: self, dynamic)
    }
  }
}
