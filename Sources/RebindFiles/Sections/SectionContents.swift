package import Rebind

/// A section of a file, its bytes, and what its words lead to.
package struct SectionContents {
  package let section: Section
  /// Where the section is in the file.
  package let offset: UInt64
  /// Decompressed, and not relocated.
  package let bytes: [UInt8]
  package let memory: FileMemory

  /// The corresponding value of Rebind, which loaded images have too.
  func data(of file: ELFFile) -> SectionData {
    SectionData(section: section, path: file.path, bytes: bytes, memory: memory)
  }
}
