import Glibc
import RebindFiles

/// The kernel's account of a process as a whole, or of a thread. The corresponding files are
/// `/proc/PID/stat` and `/proc/PID/task/TID/stat`.
struct ProcessStatus {
  /// True once nothing of it is left but its exit status.
  let hasEnded: Bool
  let isKernelThread: Bool
  /// True if it runs, waits for a processor, or for a disk.
  let isRunnable: Bool

  /// Nil if the process does not exist.
  init?(of pid: Int32) {
    self.init(path: "/proc/\(pid)/stat")
  }

  /// Nil if the thread does not exist.
  init?(of thread: Int32, in pid: Int32) {
    self.init(path: "/proc/\(pid)/task/\(thread)/stat")
  }

  private init?(path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &buffer, buffer.count)
    guard count > 0 else { return nil }
    // The name, which may have anything in it, is in parentheses.
    let fields = buffer[..<count].split(separator: UInt8(ascii: ")")).last.map {
      $0.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    }
    guard let fields, fields.count > 6 else { return nil }
    hasEnded = ["Z", "X", "x"].contains(fields[0])
    isRunnable = ["R", "D"].contains(fields[0])
    // PF_KTHREAD.
    isKernelThread = (UInt64(fields[6]) ?? 0) & 0x20_0000 != 0
  }

  /// The reason why the memory of a process cannot be read.
  ///
  /// - Parameters:
  ///   - number: The `errno` of the call that failed.
  ///   - path: The file that could not be read.
  static func failure(_ number: Int32, of pid: Int32, at path: String) -> ELFFileError {
    let process = FilePath("/proc/\(pid)")
    guard let status = Self(of: pid) else {
      return ELFFileError(path: process, reason: .system(ESRCH))
    }
    if status.isKernelThread { return ELFFileError(path: process, reason: .kernelThread) }
    // The memory goes before the rest.
    if status.hasEnded || number == ESRCH { return ELFFileError(path: process, reason: .ended) }
    return ELFFileError(path: FilePath(path), reason: .system(number))
  }
}
