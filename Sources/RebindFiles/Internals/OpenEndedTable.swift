import CLibelf
import Glibc
import Rebind

/// A table whose size no tag states: a hash table, or a list of versions. It ends somewhere in
/// its segment.
struct OpenEndedTable {
  private let data: TableData
  private let byteOrder: ByteOrder
  private let field: String

  init(atAddress address: UInt64, in file: ELFFile, field: String) throws(ELFFileError) {
    let (offset, available) = try file.locate(address, field: field)
    data = try file.reader.data(
      at: offset, size: min(available, ELFReader.largestTable), as: ELF_T_BYTE, field: field)
    byteOrder = file.reader.byteOrder
    self.field = field
  }

  /// The number at `position`, in the host's byte order.
  func number<Number: FixedWidthInteger & BitwiseCopyable>(
    at position: Int, as type: Number.Type
  ) throws(ELFFileError) -> Number {
    let (end, overflow) = position.addingReportingOverflow(MemoryLayout<Number>.size)
    guard position >= 0, !overflow, end <= data.bytes.count else {
      throw error("leaves its segment", at: 0)
    }
    let number = data.bytes.loadUnaligned(fromByteOffset: position, as: type)
    return byteOrder == .little ? Number(littleEndian: number) : Number(bigEndian: number)
  }

  func error(_ how: String, at position: Int) -> ELFFileError {
    data.error(.malformed(how), field: field, distance: position)
  }
}
