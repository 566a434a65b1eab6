#if os(Linux) && !REBIND_ELSEWHERE
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The file descriptors that a process has open, seen from another one.
struct OpenDescriptors {
  /// The file that a descriptor is open on.
  private struct File {
    var device: dev_t
    var number: ino_t
    /// The path that `/proc/self/fd` shows, which tells apart descriptors that have no file. The
    /// path of a file changes when the file is renamed or deleted.
    var path: String

    func isSame(as other: File) -> Bool {
      device == other.device && number == other.number
        && (path == other.path || !path.hasPrefix("anon_inode:"))
    }
  }

  private var files: [CInt: File] = [:]

  /// The descriptors of a process that waits; none if the process has ended.
  init(of process: pid_t) {
    let place = "/proc/\(process)/fd"
    guard let folder = opendir(place) else { return }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
          String(cString: $0)
        }
      }
      guard let number = CInt(name) else { continue }
      var status = stat()
      guard stat("\(place)/\(name)", &status) == 0 else { continue }
      files[number] = File(
        device: status.st_dev, number: status.st_ino, path: Self.target(of: "\(place)/\(name)"))
    }
  }

  /// The descriptors that were not open earlier, or that were open on something else.
  func opened(since earlier: OpenDescriptors) -> [LeakedDescriptor] {
    files.filter { number, file in earlier.files[number].map { !file.isSame(as: $0) } ?? true }
      .sorted { $0.key < $1.key }
      .map { LeakedDescriptor(number: $0.key, path: $0.value.path, opening: nil) }
  }

  /// The target of a link; empty if it cannot be read.
  static func target(of link: String) -> String {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(PATH_MAX)) { buffer in
      let length = buffer.withMemoryRebound(to: CChar.self) {
        readlink(link, $0.baseAddress!, $0.count)
      }
      return String(decoding: buffer.prefix(max(length, 0)), as: UTF8.self)
    }
  }
}
#endif
