#if os(Linux) && !REBIND_ELSEWHERE
extension SectionData {
  /// The C strings that stand in the section one after the other. Zero bytes between them
  /// are padding.
  ///
  /// - Throws: `SectionError` with the code `unterminated` if the last one has no end.
  /// - Complexity: O(count).
  public func packedStrings() throws(SectionError) -> [SectionString] {
    try withBytes { (span) throws(SectionError) in
      try span.withUnsafeBytes { (bytes) throws(SectionError) in
        var strings: [SectionString] = []
        var start = 0
        while start < bytes.count {
          guard bytes[start] != 0 else {
            start += 1
            continue
          }
          guard let end = bytes[start...].firstIndex(of: 0) else {
            throw error(.unterminated, at: start)
          }
          strings.append(SectionString(offset: start, bytes: Array(bytes[start..<end])))
          start = end + 1
        }
        return strings
      }
    }
  }

  /// The C strings that the section's pointers lead to, one a word. NULLs are skipped:
  /// linkers leave them as padding.
  ///
  /// `static const char *name __attribute__((section("names"), used)) = "a";` makes such a section.
  /// The pointers of a file that is not loaded are relocated first.
  ///
  /// - Throws: `SectionError` with an offset and the code `pointerOutside`, `unterminated` or
  ///   `pointerUnresolved`; or with the code `misaligned` or `wrongSize`.
  /// - Complexity: O(pointers + length of the strings).
  public func pointedStrings() throws(SectionError) -> [SectionString] {
    let word = memory.is64Bit ? 8 : 4
    guard address % UInt64(word) == 0 else { throw error(.misaligned, value: UInt64(word)) }
    guard count % word == 0 else {
      throw error(.wrongSize, at: count - count % word, value: UInt64(count % word))
    }
    return try withBytes { (span) throws(SectionError) in
      var strings: [SectionString] = []
      for offset in stride(from: 0, to: span.byteCount, by: word) {
        let stored = self.word(at: offset, of: span)
        guard let pointer = memory.pointer(stored, at: address &+ UInt64(offset)) else {
          throw error(.pointerUnresolved, at: offset)
        }
        if pointer == 0 { continue }
        let found = memory.withBytes(from: pointer) { bytes in
          bytes.firstIndex(of: 0).map { Array(bytes[..<$0]) }
        }
        guard let found else { throw error(.pointerOutside, at: offset, value: pointer) }
        guard let bytes = found else { throw error(.unterminated, at: offset, value: pointer) }
        strings.append(SectionString(offset: offset, bytes: bytes))
      }
      return strings
    }
  }

  private func word(at offset: Int, of span: RawSpan) -> UInt64 {
    if memory.is64Bit {
      let word = span.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
      return memory.isByteSwapped ? word.byteSwapped : word
    }
    let word = span.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)
    return UInt64(memory.isByteSwapped ? word.byteSwapped : word)
  }
}
#endif
