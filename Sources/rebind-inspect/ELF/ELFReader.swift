import CLibelf
import Glibc

/// The bytes of an ELF file: any range that lies inside it, in the host's byte order.
final class ELFReader {
  /// A larger table is refused, so that a sparse file cannot ask for all memory.
  static let largestTable: UInt64 = 256 << 20

  let path: InputPath
  let elfClass: ELFClass
  let byteOrder: ByteOrder
  let header: GElf_Ehdr
  private let file: RegularFile
  private let handle: LibelfHandle

  init(_ path: InputPath) throws(InputError) {
    let file = try RegularFile.open(path)
    FatalSignals.isReading(path)
    let identification = try ELFIdentification(of: file, path)
    guard let handle = LibelfHandle(file), let header = handle.header() else {
      throw InputError(path: path, reason: .malformed("is refused by libelf"), field: "the header")
    }
    self.path = path
    self.elfClass = identification.elfClass
    self.byteOrder = identification.byteOrder
    self.header = header
    self.file = file
    self.handle = handle
  }

  /// The corresponding field is `e_type`.
  var type: FileType { FileType(rawValue: header.e_type) }
  /// The corresponding field is `e_machine`.
  var machine: Machine { Machine(rawValue: header.e_machine) }

  /// Throws unless the range lies inside the file.
  func check(
    _ offset: UInt64, _ size: UInt64, field: @autoclosure () -> String
  ) throws(InputError) {
    let (sum, overflow) = offset.addingReportingOverflow(size)
    let end = overflow ? .max : sum
    guard end <= file.size else {
      throw error(.truncated(end: end, fileSize: file.size), field: field(), at: offset)
    }
  }

  /// A range of the file, laid out as `type`.
  func data(
    at offset: UInt64, size: UInt64, as type: Elf_Type, field: @autoclosure () -> String
  ) throws(InputError) -> TableData {
    try check(offset, size, field: field())
    guard size <= Self.largestTable else {
      throw error(.tooLarge(size: size), field: field(), at: offset)
    }
    guard size > 0 else { return TableData(offset: offset, of: self) }
    guard let bytes = handle.chunk(at: offset, size: size, as: type) else {
      throw error(.outOfMemory, field: field(), at: offset)
    }
    return TableData(bytes, offset: offset, of: self)
  }

  /// A table of `count` entries, each of `entrySize` bytes in the file and laid out as `type`.
  func table(
    at offset: UInt64, count: UInt64, entrySize: UInt64, as type: Elf_Type,
    field: @autoclosure () -> String
  ) throws(InputError) -> TableData {
    let (size, overflow) = count.multipliedReportingOverflow(by: entrySize)
    return try data(at: offset, size: overflow ? .max : size, as: type, field: field())
  }

  func error(_ reason: InputError.Reason, field: String, at offset: UInt64?) -> InputError {
    InputError(path: path, reason: reason, field: field, offset: offset)
  }
}
