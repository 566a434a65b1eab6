import CLibelf
import Rebind

/// The bytes of a file by their link-time addresses.
package struct SegmentBytes {
  private let places: AddressRanges
  /// By the segments' indices; empty for what is not loaded.
  private let segments: [(segment: Segment, bytes: UnsafeRawBufferPointer)]
  private let reader: ELFReader

  /// - Complexity: O(*n* log *n*), where *n* is the number of segments.
  package init(of file: ELFFile) throws(ELFFileError) {
    var segments: [(segment: Segment, bytes: UnsafeRawBufferPointer)] = []
    for segment in file.isDebugFile ? [] : file.segments {
      let size = segment.type == .load ? min(segment.fileSize, ELFReader.largestTable) : 0
      let data = try file.reader.data(
        at: segment.fileOffset, size: size, as: .bytes, field: "PT_LOAD")
      segments.append((segment, data.bytes))
    }
    self.segments = segments
    places = file.isDebugFile ? AddressRanges([]) : file.loadedRanges
    reader = file.reader
  }

  /// The bytes from an address on that the file has of its segment, empty where it has none and
  /// there will be zeros; nil outside of the segments. They last as long as this value.
  ///
  /// - Complexity: O(log *n*), where *n* is the number of segments.
  func bytes(from address: UInt64) -> UnsafeRawBufferPointer? {
    guard let index = places.index(of: address) else { return nil }
    let (segment, bytes) = segments[index]
    let distance = address - segment.address
    if distance < UInt64(bytes.count) {
      return UnsafeRawBufferPointer(rebasing: bytes[Int(distance)...])
    }
    return distance < segment.fileSize ? nil : UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// The word at an address; zero behind what is in the file, and nil outside of the segments.
  package func word(at address: UInt64) -> UInt64? {
    guard let bytes = bytes(from: address) else { return nil }
    if bytes.isEmpty { return 0 }
    guard bytes.count >= reader.elfClass.addressSize else { return nil }
    return Words(bytes: bytes, elfClass: reader.elfClass, byteOrder: reader.byteOrder).word(at: 0)
  }

  /// The same as an addend.
  package func signedWord(at address: UInt64) -> Int64? {
    word(at: address).map {
      reader.elfClass == .bits64
        ? Int64(bitPattern: $0) : Int64(Int32(truncatingIfNeeded: $0))
    }
  }
}
