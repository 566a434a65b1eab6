import Glibc

/// What became of the file that an image was loaded from.
package enum ProcessFileState: String {
  /// The file at its path is the image's.
  case same
  case deleted
  /// Another file has its path, or it was written over.
  case replaced
  /// The file may not be read.
  case unknown
}

extension ProcessScope {
  /// What became of an image's file, as the process itself would find it.
  package func fileState(of image: LoadedImage) -> ProcessFileState {
    let isDeleted = image.image.mapping.isDeleted
    let place = FilePath(Array("/proc/\(pid)/root".utf8) + image.image.mapping.pathOfFile)
    var status = stat()
    guard stat(place.cString, &status) == 0 else {
      return isDeleted || errno == ENOENT ? .deleted : .unknown
    }
    if isDeleted { return .replaced }
    guard access(place.cString, R_OK) == 0 else { return .unknown }
    // The bytes may have been written over, which has no other trace.
    guard let file = try? ELFFile(place), image.image.isImage(of: file) else { return .replaced }
    return .same
  }
}
