#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The file descriptors that this process has open.
struct OpenDescriptors {
  /// What each is open on.
  private var paths: [CInt: String] = [:]

  static var current: OpenDescriptors {
    var descriptors = OpenDescriptors()
    guard let folder = opendir("/proc/self/fd") else { return descriptors }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
          String(cString: $0)
        }
      }
      guard let number = CInt(name), number != dirfd(folder) else { continue }
      descriptors.paths[number] = target(of: "/proc/self/fd/\(name)")
    }
    return descriptors
  }

  /// Those that were not open earlier, or on something else.
  func opened(since earlier: OpenDescriptors) -> [LeakedDescriptor] {
    paths.filter { earlier.paths[$0.key] != $0.value }.sorted { $0.key < $1.key }
      .map { LeakedDescriptor(number: $0.key, path: $0.value) }
  }

  private static func target(of link: String) -> String {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(PATH_MAX)) { buffer in
      let length = buffer.withMemoryRebound(to: CChar.self) {
        readlink(link, $0.baseAddress!, $0.count)
      }
      return String(decoding: buffer.prefix(max(length, 0)), as: UTF8.self)
    }
  }
}
