import Glibc
import RebindFiles

/// The files that the kernel has of a process. The corresponding folder is `/proc/PID`.
enum ProcessFolder {
  /// The lines of a text file.
  ///
  /// - Throws: `ELFFileError` if the process may not be looked at, is not there, or has ended.
  static func lines(
    of name: String, pid: Int32
  ) throws(ELFFileError) -> [ArraySlice<UInt8>] {
    let path = "/proc/\(pid)/\(name)"
    func error() -> ELFFileError { ProcessStatus.failure(errno, of: pid, at: path) }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw error() }
    defer { close(descriptor) }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 { throw error() }
      if count == 0 { break }
      text += buffer[..<count]
    }
    // Every process has memory until it ends.
    if text.isEmpty { throw ProcessStatus.failure(ESRCH, of: pid, at: path) }
    return text.split(separator: UInt8(ascii: "\n"))
  }
}
