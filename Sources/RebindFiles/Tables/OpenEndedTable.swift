import CLibelf
import Glibc
import Rebind

/// A table whose size no tag states: a hash table, or a list of versions. It ends somewhere in its
/// segment, and is read as far as it is asked for. Reading copies, and in the memory of a process a
/// segment is as large as its image says.
final class OpenEndedTable {
  private let reader: ELFReader
  /// Up to the end of the segment.
  private let available: UInt64
  private var data: TableData
  private let field: String

  init(atAddress address: UInt64, in file: ELFFile, field: String) throws(ELFFileError) {
    let (offset, available) = try file.locate(address, field: field)
    self.available = min(available, ELFReader.largestTable)
    self.field = field
    reader = file.reader
    data = try reader.data(at: offset, size: min(available, 4096), as: ELF_T_BYTE, field: field)
  }

  /// The number at `position`, in the host's byte order.
  func number<Number: FixedWidthInteger & BitwiseCopyable>(
    at position: Int, as type: Number.Type
  ) throws(ELFFileError) -> Number {
    let (end, overflow) = position.addingReportingOverflow(MemoryLayout<Number>.size)
    guard position >= 0, !overflow, UInt64(end) <= available else {
      throw error("leaves its segment", at: 0)
    }
    if end > data.bytes.count { try read(to: UInt64(end)) }
    let number = data.bytes.loadUnaligned(fromByteOffset: position, as: type)
    return reader.byteOrder == .little ? Number(littleEndian: number) : Number(bigEndian: number)
  }

  /// Reads four times as much as before, or more if that ends too early.
  private func read(to end: UInt64) throws(ELFFileError) {
    data = try reader.data(
      at: data.offset, size: min(available, max(end, 4 * UInt64(data.bytes.count))),
      as: ELF_T_BYTE, field: field)
  }

  func error(_ how: String, at position: Int) -> ELFFileError {
    data.error(.malformed(how), field: field, distance: position)
  }
}
