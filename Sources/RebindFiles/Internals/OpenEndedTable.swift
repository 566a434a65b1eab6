import CLibelf
import Glibc
import Rebind

/// A table whose size no tag states: a hash table, or a list of versions. It ends somewhere in
/// its segment, and is read as far as it is asked for: in the memory of a process, reading is copying.
final class OpenEndedTable {
  private let reader: ELFReader
  /// Up to the end of the segment.
  private let available: UInt64
  private var data: TableData
  private let field: String

  init(atAddress address: UInt64, in file: ELFFile, field: String) throws(ELFFileError) {
    let offset: UInt64
    (offset, available) = try file.locate(address, field: field)
    reader = file.reader
    data = try reader.data(
      at: offset, size: min(available, 1 << 16), as: ELF_T_BYTE, field: field)
    self.field = field
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

  /// Reads twice as much as before, or more if that ends too early.
  private func read(to end: UInt64) throws(ELFFileError) {
    data = try reader.data(
      at: data.offset, size: min(available, max(end, 2 * UInt64(data.bytes.count))),
      as: ELF_T_BYTE, field: field)
  }

  func error(_ how: String, at position: Int) -> ELFFileError {
    data.error(.malformed(how), field: field, distance: position)
  }
}
