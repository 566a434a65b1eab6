import CLibelf
import Rebind

/// What the words of a file's section lead to, as the loader will make them.
///
/// Sendable, as nothing is changed after it was made: the bytes are those of the mapped file or of
/// a copy, and the reader is only kept for them to last.
package struct FileMemory: SectionMemory, @unchecked Sendable {
  package let is64Bit: Bool
  package let isByteSwapped: Bool
  private let relocations: FileRelocations
  private let segments: [(segment: Segment, bytes: UnsafeRawBufferPointer)]
  private let reader: ELFReader

  init(of file: ELFFile, _ relocations: FileRelocations) throws(ELFFileError) {
    is64Bit = file.elfClass == .bits64
    isByteSwapped = file.byteOrder != .host
    self.relocations = relocations
    reader = file.reader
    var segments: [(segment: Segment, bytes: UnsafeRawBufferPointer)] = []
    if !file.isDebugFile {
      for segment in file.segments where segment.type == .load {
        let data = try file.reader.data(
          at: segment.fileOffset, size: min(segment.fileSize, ELFReader.largestTable), as: .bytes,
          field: "PT_LOAD")
        segments.append((segment, data.bytes))
      }
    }
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
    defer { withExtendedLifetime(reader) {} }
    for (segment, bytes) in segments where segment.contains(address) {
      let distance = address - segment.address
      // Behind what is in the file there are zeros.
      guard distance < UInt64(bytes.count) else {
        return distance < segment.fileSize ? nil : withUnsafeBytes(of: UInt8(0), body)
      }
      return body(UnsafeRawBufferPointer(rebasing: bytes[Int(distance)...]))
    }
    return nil
  }
}
