import CLibelf
import Rebind

/// The words that a file has in place, by their link-time addresses.
package struct FileWords {
  private let segments: [(addresses: Range<UInt64>, words: Words)]
  private let reader: ELFReader

  init(of file: ELFFile) throws(ELFFileError) {
    var segments: [(addresses: Range<UInt64>, words: Words)] = []
    for segment in file.isDebugFile ? [] : file.segments where segment.type == .load {
      let data = try file.reader.data(
        at: segment.fileOffset, size: min(segment.fileSize, ELFReader.largestTable), as: .bytes,
        field: "PT_LOAD")
      segments.append(
        (
          segment.addresses,
          Words(bytes: data.bytes, elfClass: file.elfClass, byteOrder: file.byteOrder)
        ))
    }
    self.segments = segments
    reader = file.reader
  }

  /// The word at an address; zero behind what is in the file, and nil outside of the segments.
  package func word(at address: UInt64) -> UInt64? {
    for (addresses, words) in segments where addresses.contains(address) {
      let distance = address - addresses.lowerBound
      let count = UInt64(words.bytes.count)
      guard distance < count else { return 0 }
      return count - distance < UInt64(words.elfClass.addressSize)
        ? nil : words.word(at: Int(distance))
    }
    return nil
  }

  /// The same as an addend.
  package func signedWord(at address: UInt64) -> Int64? {
    word(at: address).map {
      reader.elfClass == .bits64
        ? Int64(bitPattern: $0) : Int64(Int32(truncatingIfNeeded: $0))
    }
  }
}
