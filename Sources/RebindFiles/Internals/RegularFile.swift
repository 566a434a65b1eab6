import Glibc

/// An open regular file, closed with the last use of this value.
struct RegularFile: ~Copyable {
  let descriptor: Int32
  let size: UInt64

  private init(descriptor: Int32, size: UInt64) {
    self.descriptor = descriptor
    self.size = size
  }

  deinit { close(descriptor) }

  /// Opens a file for reading, unless it is a directory, a FIFO, a device or a socket.
  static func open(_ path: FilePath) throws(ELFFileError) -> RegularFile {
    // Looked at before it is opened too, because opening a device can set it going.
    var status = stat()
    guard stat(path.cString, &status) == 0 else { throw systemError(path) }
    try check(status, path)

    // O_NONBLOCK, for a FIFO may have taken the file's place meanwhile.
    let descriptor = Glibc.open(path.cString, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0, fstat(descriptor, &status) == 0 else { throw systemError(path) }
    let file = RegularFile(descriptor: descriptor, size: UInt64(clamping: status.st_size))
    try check(status, path)
    return file
  }

  /// Reads `count` bytes, or fewer if the file ends before. The corresponding call is `pread`.
  func read(_ count: Int, at offset: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = max(0, pread(descriptor, buffer.baseAddress, count, offset))
    }
  }

  private static func check(_ status: stat, _ path: FilePath) throws(ELFFileError) {
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw ELFFileError(path: path, reason: .notRegularFile)
    }
    guard status.st_size > 0 else { throw ELFFileError(path: path, reason: .empty) }
  }

  private static func systemError(_ path: FilePath) -> ELFFileError {
    ELFFileError(path: path, reason: .system(errno))
  }
}
