import Glibc

extension UnsafeRawBufferPointer {
  /// The bytes in front of the first zero byte; nil without a zero byte.
  var untilZero: UnsafeRawBufferPointer? {
    guard let start = baseAddress, let end = memchr(start, 0, count) else { return nil }
    return UnsafeRawBufferPointer(start: start, count: UnsafeRawPointer(end) - start)
  }
}

/// True if the bytes of two names are equal up to their first zero bytes, which each has.
package func isName(_ name: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
  guard let name = name.assumingMemoryBound(to: CChar.self).baseAddress,
    let other = other.assumingMemoryBound(to: CChar.self).baseAddress
  else { return false }
  return strcmp(name, other) == 0
}
