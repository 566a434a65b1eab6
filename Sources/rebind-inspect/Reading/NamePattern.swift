#if Commands

import ArgumentParser
import Glibc

/// A pattern that the names of symbols are held against: as a shell's, `open*`, or between slashes
/// an extended regular expression, `/^open(at)?$/`.
final class NamePattern: ExpressibleByArgument, Sendable {
  private let glob: [CChar]
  /// True if the shell's pattern is a name.
  private let isName: Bool
  // Safe, as what `regexec` keeps in an expression it has behind a lock of its own.
  private nonisolated(unsafe) let expression: UnsafeMutablePointer<regex_t>?

  /// Nil if it is empty, or starts like a regular expression and is none. The corresponding functions
  /// are `fnmatch` and `regcomp`.
  init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    let text = RawArguments.decode(argument).joined(separator: [0])
    let bytes = text.map { CChar(bitPattern: $0) }
    let slash = CChar(bitPattern: UInt8(ascii: "/"))
    guard bytes.first == slash else {
      glob = bytes + [0]
      isName = !text.contains { "*?[\\".utf8.contains($0) }
      expression = nil
      return
    }
    guard bytes.count > 2, bytes.last == slash else { return nil }
    glob = []
    isName = false
    let expression = UnsafeMutablePointer<regex_t>.allocate(capacity: 1)
    guard regcomp(expression, bytes.dropFirst().dropLast() + [0], REG_EXTENDED | REG_NOSUB) == 0
    else {
      expression.deallocate()
      return nil
    }
    self.expression = expression
  }

  deinit {
    guard let expression else { return }
    regfree(expression)
    expression.deallocate()
  }

  /// True if the pattern matches a name that ends at its first zero byte, and has one.
  func matches(_ name: UnsafeRawBufferPointer) -> Bool {
    guard let name = name.assumingMemoryBound(to: CChar.self).baseAddress else { return false }
    if isName { return strcmp(glob, name) == 0 }
    if let expression { return regexec(expression, name, 0, nil, 0) == 0 }
    return fnmatch(glob, name, 0) == 0
  }
}

#endif
