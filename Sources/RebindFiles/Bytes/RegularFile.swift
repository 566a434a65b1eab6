import Glibc

/// An open regular file, or a member of an archive in one, closed with the last use of this value.
package struct RegularFile: ~Copyable {
  let descriptor: Int32
  /// Where the bytes start; 0 but for a member.
  let start: UInt64
  package let size: UInt64

  private init(descriptor: Int32, start: UInt64, size: UInt64) {
    self.descriptor = descriptor
    self.start = start
    self.size = size
  }

  deinit { close(descriptor) }

  /// Opens a file for reading, unless it is a directory, a FIFO, a device or a socket.
  package static func open(_ path: FilePath) throws(ELFFileError) -> RegularFile {
    // Looked at before it is opened too, because opening a device can set it going.
    var status = stat()
    let name = path.member?.file ?? path.cString
    guard stat(name, &status) == 0 else { throw systemError(path) }
    try check(status, path)

    // O_NONBLOCK, for a FIFO may have taken the file's place meanwhile.
    let descriptor = Glibc.open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0, fstat(descriptor, &status) == 0 else { throw systemError(path) }
    let range = path.member?.range ?? 0..<UInt64(clamping: status.st_size)
    let file = RegularFile(
      descriptor: descriptor, start: range.lowerBound,
      size: range.upperBound - range.lowerBound)
    try check(status, path)
    guard range.upperBound <= UInt64(clamping: status.st_size) else {
      // The archive has become shorter since its members were listed.
      throw ELFFileError(
        path: path,
        reason: .truncated(end: range.upperBound, fileSize: UInt64(clamping: status.st_size)))
    }
    guard !range.isEmpty else { throw ELFFileError(path: path, reason: .empty) }
    return file
  }

  /// The size now, with nothing in front of `start`; 0 if the system does not say.
  var currentSize: UInt64 {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return 0 }
    let end = min(UInt64(clamping: status.st_size), start + size)
    return end > start ? end - start : 0
  }

  /// Reads `count` bytes, or fewer if the file ends before. The corresponding call is `pread`.
  package func read(_ count: Int, at offset: Int) -> [UInt8] {
    guard offset < size else { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = max(
        0,
        pread(
          descriptor, buffer.baseAddress, min(count, Int(clamping: size) - offset),
          Int(clamping: start) + offset))
    }
  }

  /// Fills a buffer from the start of the bytes. False if the file has fewer.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    var done = 0
    while done < buffer.count {
      let count = pread(
        descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done,
        Int(clamping: start) + done)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return false }
      done += count
    }
    return true
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
