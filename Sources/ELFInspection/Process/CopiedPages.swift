import Glibc

/// The pages of a process that are copies of its own, not those of a file.
///
/// The corresponding file is `/proc/PID/pagemap`.
struct CopiedPages {
  private let descriptor: Int32
  let pageSize = UInt64(max(1, sysconf(Int32(_SC_PAGESIZE))))

  /// Calls `body` with them. Where the kernel does not tell, each page may be a copy.
  static func with<Result>(pid: Int32, _ body: (CopiedPages) -> Result) -> Result {
    let pages = CopiedPages(pid: pid)
    defer { if pages.descriptor >= 0 { close(pages.descriptor) } }
    return body(pages)
  }

  private init(pid: Int32) {
    descriptor = open("/proc/\(pid)/pagemap", O_RDONLY | O_CLOEXEC)
  }

  /// The parts of a range of run-time addresses that are copies, in whole pages.
  ///
  /// - Complexity: O(pages of the range).
  func copies(in range: Range<UInt64>) -> [Range<UInt64>] {
    let pages = range.lowerBound / pageSize..<(range.upperBound + pageSize - 1) / pageSize
    var found: [Range<UInt64>] = []
    var words = [UInt64](repeating: 0, count: 4096)
    var page = pages.lowerBound
    while page < pages.upperBound {
      let wanted = min(words.count, Int(pages.upperBound - page))
      let size = words.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress, wanted * 8, Int(page) * 8)
      }
      let count = max(0, size) / 8
      if count == 0 { return [range] }
      for word in words[..<count] {
        // In memory or swapped out, and not of a file.
        if word >> 62 != 0, word >> 61 & 1 == 0 {
          let start = page * pageSize
          if let last = found.last, last.upperBound == start {
            found[found.count - 1] = last.lowerBound..<start + pageSize
          } else {
            found.append(start..<start + pageSize)
          }
        }
        page += 1
      }
    }
    return found
  }
}
