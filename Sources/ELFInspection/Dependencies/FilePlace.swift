import Glibc
import RebindFiles

/// The identity of a file, whatever its paths.
struct FilePlace: Hashable {
  private let device: UInt
  private let number: UInt

  /// Nil if the file does not exist.
  init?(_ path: FilePath) {
    var status = stat()
    guard stat(path.cString, &status) == 0 else { return nil }
    device = UInt(truncatingIfNeeded: status.st_dev)
    number = UInt(truncatingIfNeeded: status.st_ino)
  }
}
