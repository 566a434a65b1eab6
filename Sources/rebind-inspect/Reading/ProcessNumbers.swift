#if Commands

import ArgumentParser
import Glibc

extension CompletionKind {
  /// The numbers of the processes that the user may look at.
  static var processNumber: CompletionKind {
    .custom { _, _, _ in processNumbers() }
  }
}

/// The processes in /proc whose program can be read. That takes the right to trace them.
private func processNumbers() -> [String] {
  guard let folder = opendir("/proc") else { return [] }
  defer { closedir(folder) }
  var numbers: [Int32] = []
  while let entry = readdir(folder) {
    let name = withUnsafeBytes(of: &entry.pointee.d_name) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    guard let number = Int32(name), number != getpid() else { continue }
    var byte: CChar = 0
    if readlink("/proc/\(number)/exe", &byte, 1) > 0 { numbers.append(number) }
  }
  return numbers.sorted().map(String.init)
}

#endif
