import CLibelf
import Glibc
public import Rebind

/// An ELF file that is not loaded: its headers are read, and lie inside the file.
///
/// The file is open as long as a copy of this value lasts, and mapped if its tables are large. It
/// must not become shorter meanwhile: reading past its new end raises `SIGBUS`. The program's own
/// threads may not share one value.
public struct ELFFile {
  package let reader: ELFReader
  /// The parts of the file that are loaded, and where; empty for a relocatable file. From
  /// `e_phoff`.
  public let segments: [Segment]
  /// Empty if the section headers are stripped.
  package let sectionHeaders: [SectionHeader]

  /// Opens a file and reads its headers. The time is in proportion to the number of headers.
  ///
  /// - Throws: `ELFFileError` if the file cannot be read, is no regular file, is not ELF, or if
  ///   something that its headers state is not inside it.
  public init(path: String) throws(ELFFileError) {
    try self.init(FilePath(path))
  }

  package init(_ path: FilePath) throws(ELFFileError) {
    reader = try ELFReader(path)
    segments = try Segment.all(of: reader)
    sectionHeaders = try SectionHeader.all(of: reader)
    if isDebugFile { return }
    for (index, segment) in segments.enumerated()
    where segment.type != .null && segment.fileSize > 0 {
      try reader.check(segment.fileOffset, segment.fileSize, field: "program header \(index)")
    }
  }

  /// An image in memory, which has no section headers.
  package init(reader: ELFReader, segments: [Segment]) {
    self.reader = reader
    self.segments = segments
    sectionHeaders = []
  }

  /// The path that it was opened with; what of that is not UTF-8 is U+FFFD here.
  public var path: String { reader.path.text }
  /// The width of its addresses.
  public var elfClass: ELFClass { reader.elfClass }
  /// The order of the bytes in its words.
  public var byteOrder: ByteOrder { reader.byteOrder }
  /// The processor that it is for.
  public var machine: Machine { reader.machine }
  /// The kind of the file.
  public var type: ImageType { reader.type }

  /// Where the byte at an address is in the file, and how many bytes its segment has from there.
  ///
  /// - Complexity: O(*n*), where *n* is the number of segments.
  package func locate(
    _ address: UInt64, field: @autoclosure () -> String
  ) throws(ELFFileError) -> (offset: UInt64, available: UInt64) {
    for segment in segments where segment.type == .load && address >= segment.address {
      let distance = address - segment.address
      if distance < segment.fileSize {
        // The segment lies inside the file, so neither sum nor difference leaves it.
        return (segment.fileOffset + distance, segment.fileSize - distance)
      }
    }
    throw reader.error(
      .malformed("is \(hexadecimal(address)), an address of no segment in the file"),
      field: field(),
      at: nil)
  }

  /// The table at an address, laid out as `type`, found to lie inside one segment.
  func table(
    atAddress address: UInt64, count: UInt64, entrySize: UInt64, as type: Elf_Type,
    field: @autoclosure () -> String
  ) throws(ELFFileError) -> TableData {
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
