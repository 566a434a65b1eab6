import Rebind

extension ELFFile {
  /// True if a linker has not given addresses yet. The corresponding constant is `ET_REL`.
  package var isRelocatable: Bool { type.rawValue == 1 }

  /// True if it is the memory of a process that has ended. The corresponding constant is `ET_CORE`.
  package var isCore: Bool { type.rawValue == 4 }

  /// True if the file holds only what was split from an image, such as its debug information.
  ///
  /// Its program headers are the image's own and say nothing of this file; its sections say that
  /// of the image only the notes are here.
  package var isDebugFile: Bool {
    var isWithoutContents = false
    for header in sectionHeaders where header.isAllocated && header.type != .note {
      guard header.type == .noBits else { return false }
      isWithoutContents = true
    }
    return isWithoutContents
  }

  /// Throws for a core file, which has none of what a loader reads: that nothing is found there
  /// would say nothing of the program.
  package func checkIsNoCore() throws(ELFFileError) {
    if isCore { throw reader.error(.unsupported("is a core file, no image"), field: nil, at: nil) }
  }
}
