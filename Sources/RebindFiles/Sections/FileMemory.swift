import Rebind

/// The targets of the words of a file's section after loading.
///
/// Sendable, as nothing is changed after it was made. The bytes are those of the mapped file or of
/// a copy, and their owner is kept only for them to last.
package struct FileMemory: SectionMemory, @unchecked Sendable {
  package let is64Bit: Bool
  package let isByteSwapped: Bool
  private let relocations: FileRelocations
  private let segments: SegmentBytes

  init(of file: ELFFile, _ segments: SegmentBytes, _ relocations: FileRelocations) {
    is64Bit = file.elfClass == .bits64
    isByteSwapped = file.byteOrder != .host
    self.relocations = relocations
    self.segments = segments
  }

  package func pointer(_ word: UInt64, at address: UInt64) -> UInt64? {
    switch relocations[address] {
    case nil: word
    case .address(let target)?: target
    case .added(let value)?: (is64Bit ? ELFClass.bits64 : .bits32).wrapped(word &+ value)
    case .unresolved?: nil
    }
  }

  /// The symbol of another image that the word at an address leads to; nil if it has none.
  package func symbol(at address: UInt64) -> String? {
    if case .unresolved(let name)? = relocations[address], !name.isEmpty { return name }
    return nil
  }

  package func withBytes<Result>(
    from address: UInt64, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result? {
    defer { withExtendedLifetime(segments) {} }
    guard let bytes = segments.bytes(from: address) else { return nil }
    // Zeros follow the part that is in the file.
    return bytes.isEmpty ? withUnsafeBytes(of: UInt8(0), body) : body(bytes)
  }
}
