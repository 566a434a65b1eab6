import Glibc

/// The memory of a process. The corresponding file is `/proc/PID/mem`.
final class ProcessMemory {
  private let descriptor: Int32

  init(pid: Int32) throws(ELFFileError) {
    let path = "/proc/\(pid)/mem"
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw ELFFileError(path: FilePath(path), reason: .system(errno))
    }
  }

  deinit { close(descriptor) }

  /// The bytes at an address; nil if not all of them are there. The corresponding call is `pread`.
  func read(_ address: UInt64, _ count: UInt64) -> [UInt8]? {
    guard count <= ELFReader.largestTable, let offset = Int64(exactly: address) else { return nil }
    let wanted = Int(count)
    let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, done in
      done = 0
      while done < wanted {
        let count = pread(
          descriptor, buffer.baseAddress.map { $0 + done }, wanted - done, Int(offset) + done)
        if count <= 0 { break }
        done += count
      }
    }
    return bytes.count == wanted ? bytes : nil
  }
}
