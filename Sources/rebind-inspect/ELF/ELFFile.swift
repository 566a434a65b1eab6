import CLibelf
import Glibc

/// An ELF file whose headers are read and lie inside the file.
struct ELFFile {
  let reader: ELFReader
  let segments: [Segment]
  /// Empty if the section headers are stripped.
  let sections: [Section]

  init(_ path: InputPath) throws(InputError) {
    reader = try ELFReader(path)
    segments = try Segment.all(of: reader)
    sections = try Section.all(of: reader)
    if isDebugFile { return }
    for (index, segment) in segments.enumerated()
    where segment.type != .null && segment.fileSize > 0 {
      try reader.check(segment.offset, segment.fileSize, field: "program header \(index)")
    }
  }

  /// True if the file holds only what was split from an image, such as its debug information.
  ///
  /// Its program headers are the image's own and say nothing of this file; its sections say that
  /// of the image only the notes are here.
  var isDebugFile: Bool {
    let allocated = sections.filter(\.isAllocated)
    return !allocated.isEmpty && allocated.allSatisfy { $0.type == .noBits || $0.type == .note }
      && allocated.contains { $0.type == .noBits }
  }

  /// Where the byte at an address is in the file, and how many bytes its segment has from there.
  ///
  /// - Complexity: O(*n*), where *n* is the number of segments.
  func locate(
    _ address: UInt64, field: @autoclosure () -> String
  ) throws(InputError) -> (offset: UInt64, available: UInt64) {
    for segment in segments where segment.type == .load && address >= segment.address {
      let distance = address - segment.address
      if distance < segment.fileSize {
        // The segment lies inside the file, so neither sum nor difference leaves it.
        return (segment.offset + distance, segment.fileSize - distance)
      }
    }
    throw reader.error(
      .malformed("is \(hex(address)), an address of no segment in the file"), field: field(),
      at: nil)
  }

  /// The table at an address, laid out as `type`, found to lie inside one segment.
  func table(
    atAddress address: UInt64, count: UInt64, entrySize: UInt64, as type: Elf_Type,
    field: @autoclosure () -> String
  ) throws(InputError) -> TableData {
    let (offset, available) = try locate(address, field: field())
    let (size, overflow) = count.multipliedReportingOverflow(by: entrySize)
    guard !overflow, size <= available else {
      throw reader.error(
        .malformed("has \(count) entries of \(entrySize) bytes, its segment \(available) bytes"),
        field: field(), at: offset)
    }
    return try reader.data(at: offset, size: size, as: type, field: field())
  }
}
