#if Commands

import Glibc
import RebindFiles

/// How many threads read files.
enum ThreadCount {
  /// One for a few small files, where starting another takes longer than it saves, and else as
  /// many as the process may use processors.
  ///
  /// The environment variable `REBIND_INSPECT_THREADS` says how many instead, if it is set.
  static func reading(_ paths: some Collection<FilePath>) -> Int {
    guard paths.count > 1 else { return 1 }
    if let stated = getenv("REBIND_INSPECT_THREADS").flatMap({ Int(String(cString: $0)) }) {
      return min(max(1, stated), paths.count, most)
    }
    if paths.count < fewFiles, !areLarge(paths) { return 1 }
    return min(usableProcessors, paths.count, most)
  }

  private static var usableProcessors: Int {
    // One bit for each of 8192 processors: the kernel refuses fewer bits than the machine can have
    // processors.
    var processors = [UInt8](repeating: 0, count: 1024)
    guard affinity(0, processors.count, &processors) == 0 else { return 1 }
    return max(1, processors.reduce(0) { $0 + $1.nonzeroBitCount })
  }

  private static func areLarge(_ paths: some Collection<FilePath>) -> Bool {
    var size = 0
    for path in paths {
      var status = stat()
      if stat(path.cString, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
        size += min(Int(status.st_size), fewBytes)
      }
      if size >= fewBytes { return true }
    }
    return false
  }

  private static let fewFiles = 16
  private static let fewBytes = 4 << 20
  /// More would wait for the kernel, where they map files, and for each other.
  private static let most = 16
}

/// The corresponding function is `sched_getaffinity`, which its header has for programs of GNU's
/// dialect alone. It takes and returns only pointers and integers, which Swift's calling convention
/// passes as C's does.
@_silgen_name("sched_getaffinity")
private func affinity(_ pid: Int32, _ size: Int, _ processors: UnsafeMutablePointer<UInt8>) -> Int32

#endif
