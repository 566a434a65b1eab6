import Glibc
import RebindFiles

/// What a file is, whatever its paths.
struct FilePlace: Hashable {
  private let device: UInt
  private let number: UInt

  /// Nil if there is no such file.
  init?(_ path: FilePath) {
    var status = stat()
    guard stat(path.cString, &status) == 0 else { return nil }
    device = UInt(truncatingIfNeeded: status.st_dev)
    number = UInt(truncatingIfNeeded: status.st_ino)
  }
}
