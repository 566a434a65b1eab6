#if os(Linux) && !REBIND_ELSEWHERE
/// The memory that the pointers in a section lead to: a loaded image, or a file's segments.
package protocol SectionMemory: Sendable {
  /// Addresses have 8 bytes, not 4.
  var is64Bit: Bool { get }
  /// The byte order is not this machine's.
  var isByteSwapped: Bool { get }

  /// The pointer that the loader makes of a word at an address; nil if it leads to another
  /// image. In memory that has happened.
  func pointer(_ word: UInt64, at address: UInt64) -> UInt64?

  /// Calls `body` with the bytes from an address to the end of the segment that it lies in;
  /// nil if it lies in none.
  func withBytes<Result>(
    from address: UInt64, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result?
}
#endif
