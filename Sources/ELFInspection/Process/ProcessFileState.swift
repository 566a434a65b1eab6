import Glibc
package import RebindFiles

/// The state of the file that an image was loaded from.
package enum ProcessFileState: String {
  /// The file at its path is the image's.
  case same
  case deleted
  /// Another file has its path, or it was written over.
  case replaced
  /// The file may not be read, or the image is no longer there to be compared with it.
  case unknown
}

extension ProcessScope {
  /// The state of an image's file, as the process itself would find it.
  package func fileState(of image: LoadedImage) -> ProcessFileState {
    if let state = stateNow(of: image), state != .replaced { return state }
    // If the image is unloaded and loaded again, its memory can be gone, or be another image's, just
    // when it is compared, and be back at once.
    var differences = 0
    for pause in 1...8 {
      let wasMapped = isMapped(image)
      let state = stateNow(of: image)
      if let state, state != .replaced { return state }
      if state != nil, wasMapped, isMapped(image) { differences += 1 }
      if differences == 3 { return .replaced }
      usleep(UInt32(pause) * 300)
    }
    return .unknown
  }

  private func isMapped(_ image: LoadedImage) -> Bool {
    let mapping = image.image.mapping
    let lines = try? ProcessFolder.lines(of: "maps", pid: pid)
    return (lines ?? []).lazy.compactMap { ProcessMapping($0) }.contains {
      $0.identity == mapping.identity && $0.holds(mapping.start, of: mapping.offset)
    }
  }

  /// The file of an image, for what memory does not hold.
  ///
  /// - Throws: `ELFFileError` if no file is proven to be the image's, which says why.
  package func fileWithSections(of image: LoadedImage) throws(ELFFileError) -> ELFFile {
    if let file = image.file { return file }
    let why =
      switch fileState(of: image) {
      case .deleted: "is deleted"
      case .replaced: "is another one now"
      case .same, .unknown: "cannot be read"
      }
    throw ELFFileError(
      path: image.image.path, reason: .unsupported("\(why), and memory has no section headers"))
  }

  /// Nil if the image's memory cannot be read.
  private func stateNow(of image: LoadedImage) -> ProcessFileState? {
    let mapping = image.image.mapping
    let states = mapping.places(of: pid).map { state(of: $0, image.image) }
    if states.contains(.same) { return .same }
    // The name of a file that is still there can also end in " (deleted)".
    if mapping.isDeleted {
      let gone = mapping.places(of: pid, withoutNote: true)
      return gone.contains { access($0.cString, F_OK) == 0 } ? .replaced : .deleted
    }
    return states.first { $0 != .deleted } ?? .deleted
  }

  private func state(of place: FilePath, _ image: ProcessImage) -> ProcessFileState? {
    guard access(place.cString, R_OK) == 0 else { return errno == ENOENT ? .deleted : .unknown }
    do {
      // The bytes may have been written over, which has no other trace.
      return try image.isImage(of: ELFFile(place)).map { $0 ? .same : .replaced }
    } catch {
      // Too many open files, for one, tell nothing of this one.
      if case .system = error.reason { return .unknown }
      return .replaced
    }
  }
}
