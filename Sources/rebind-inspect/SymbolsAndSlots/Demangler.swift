#if Commands

import Glibc

/// Makes the mangled names of Swift and C++ readable.
///
/// The last readable name is kept until the next one, so that no caller has to free it.
struct Demangler: ~Copyable {
  private var kept: UnsafeMutablePointer<CChar>?

  deinit { free(kept) }

  /// The readable name, valid until the next call; nil if the name is not mangled, or
  /// longer than any compiler's.
  ///
  /// `name` ends at its first zero byte, and has one.
  mutating func demangle(_ name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard let name = name.assumingMemoryBound(to: CChar.self).baseAddress,
      strnlen(name, Self.longestName + 1) <= Self.longestName
    else { return nil }
    if Self.isMangled(name), let version = strchr(name + 1, 0x40) {
      return demangle(name, version)
    }
    let demangled: UnsafeMutablePointer<CChar>?
    if Self.has(name, "_Z") {
      demangled = FatalSignals.demangling { cxxDemangle(name, nil, nil, nil) }
    } else if Self.swiftPrefixes.contains(where: { Self.has(name, $0) }) {
      demangled = FatalSignals.demangling { swiftDemangle(name, strlen(name), nil, nil, 0) }
    } else {
      return nil
    }
    free(kept)
    kept = demangled
    // swift_demangle gives back a name that it cannot read.
    guard let demangled, strcmp(demangled, name) != 0 else { return nil }
    return UnsafeRawBufferPointer(start: demangled, count: strlen(demangled))
  }

  /// A readable name with the version behind it, as linkers write it into the names of `.symtab`.
  private mutating func demangle(
    _ name: UnsafePointer<CChar>, _ version: UnsafePointer<CChar>
  ) -> UnsafeRawBufferPointer? {
    let count = version - name
    guard let mangled = strndup(name, count) else { return nil }
    defer { free(mangled) }
    let bytes = UnsafeRawBufferPointer(start: mangled, count: count + 1)
    guard let readable = demangle(bytes) else { return nil }
    let whole =
      readable.map { CChar(bitPattern: $0) }
      + UnsafeBufferPointer(start: version, count: strlen(version) + 1)
    free(kept)
    kept = strdup(whole)
    return kept.map { UnsafeRawBufferPointer(start: $0, count: whole.count - 1) }
  }

  private static func isMangled(_ name: UnsafePointer<CChar>) -> Bool {
    has(name, "_Z") || swiftPrefixes.contains { has(name, $0) }
  }

  /// The demanglers recurse with the depth of a name, and overflow the stack at some hundred
  /// thousand bytes.
  private static let longestName = 1 << 14

  /// How the names of Swift's manglings start: Swift 5, Embedded Swift, Swift 4, macros.
  private static let swiftPrefixes: [StaticString] = [
    "$s", "$S", "$e", "_$s", "_$S", "_$e", "_T0", "@__swiftmacro_",
  ]

  private static func has(_ name: UnsafePointer<CChar>, _ prefix: StaticString) -> Bool {
    strncmp(name, prefix.utf8Start, prefix.utf8CodeUnitCount) == 0
  }
}

// Neither has a header that Swift can import. Both take and return only pointers and integers,
// which Swift's calling convention passes as C's does.

/// The corresponding function of the Swift runtime is `swift_demangle`.
@_silgen_name("swift_demangle")
private func swiftDemangle(
  _ name: UnsafePointer<CChar>, _ length: Int, _ buffer: UnsafeMutablePointer<CChar>?,
  _ bufferSize: UnsafeMutablePointer<Int>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?

/// The corresponding function of the C++ ABI is `abi::__cxa_demangle`.
@_silgen_name("__cxa_demangle")
private func cxxDemangle(
  _ name: UnsafePointer<CChar>, _ buffer: UnsafeMutablePointer<CChar>?,
  _ bufferSize: UnsafeMutablePointer<Int>?, _ status: UnsafeMutablePointer<Int32>?
) -> UnsafeMutablePointer<CChar>?

#endif
