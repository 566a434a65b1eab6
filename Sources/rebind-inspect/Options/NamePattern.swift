import ArgumentParser
import Glibc

/// A pattern that the names of symbols are held against: as a shell's, `open*`, or between slashes
/// an extended regular expression, `/^open(at)?$/`.
final class NamePattern: ExpressibleByArgument {
  private let glob: [CChar]
  private var expression: regex_t?

  /// Nil if it is no regular expression. The corresponding functions are `fnmatch` and `regcomp`.
  init?(argument: String) {
    let text = RawArguments.decode(argument).joined(separator: [0])
    var bytes = Array(text)
    if bytes.count > 2, bytes.first == UInt8(ascii: "/"), bytes.last == UInt8(ascii: "/") {
      bytes = Array(bytes.dropFirst().dropLast())
      glob = []
      var expression = regex_t()
      let isValid = (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer {
        regcomp(&expression, $0.baseAddress, REG_EXTENDED | REG_NOSUB) == 0
      }
      guard isValid else { return nil }
      self.expression = expression
    } else {
      glob = bytes.map { CChar(bitPattern: $0) } + [0]
    }
  }

  deinit {
    if expression != nil { regfree(&expression!) }
  }

  /// True if the pattern matches a name that ends at its first zero byte, and has one.
  func matches(_ name: UnsafeRawBufferPointer) -> Bool {
    guard let name = name.assumingMemoryBound(to: CChar.self).baseAddress else { return false }
    if expression != nil { return regexec(&expression!, name, 0, nil, 0) == 0 }
    return fnmatch(glob, name, 0) == 0
  }
}
