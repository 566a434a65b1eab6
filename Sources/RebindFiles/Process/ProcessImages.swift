import Glibc

/// The images of a process, as its mappings tell of them.
package struct ProcessImages {
  /// In the order of their addresses.
  package let images: [ProcessImage]

  /// Looks at a process's mappings. Throws if it may not be looked at, or is not there.
  package init(pid: Int32) throws(ELFFileError) {
    let mappings = try Self.mappings(of: pid)
    let memory = try ProcessMemory(pid: pid)
    images = mappings.compactMap { mapping in
      // An image begins where its file does.
      guard mapping.offset == 0, !mapping.path.isEmpty else { return nil }
      return ProcessImage(pid: pid, mapping, memory)
    }
  }

  private static func mappings(of pid: Int32) throws(ELFFileError) -> [ProcessMapping] {
    let path = "/proc/\(pid)/maps"
    func error() -> ELFFileError { ELFFileError(path: FilePath(path), reason: .system(errno)) }
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
    return text.split(separator: UInt8(ascii: "\n")).compactMap { ProcessMapping($0) }
  }
}
