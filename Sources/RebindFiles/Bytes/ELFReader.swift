package import CLibelf
import Glibc
package import ELFVocabulary

/// The bytes of an ELF file, or of an image in memory: any range that lies inside it, in the host's
/// byte order.
package final class ELFReader {
  /// A larger table is refused, so that a sparse file cannot ask for all memory.
  package static let largestTable: UInt64 = 256 << 20

  package let path: FilePath
  package let elfClass: ELFClass
  package let byteOrder: ByteOrder
  let header: GElf_Ehdr
  /// For an image in memory, its run-time addresses minus its link-time ones; nil for a file.
  package let loadBias: UInt64?
  private let bytes: any ELFBytes
  private var decompressed: [Int: [UInt8]] = [:]
  private var unpacked: [PackedTable: UnpackedEntries] = [:]
  private var sizeOfTexts: UInt64 = 0
  /// Wrong statements of the file that loaders pass over too, a line each.
  package internal(set) var warnings: [String] = []

  init(_ path: FilePath) throws(ELFFileError) {
    let file = try RegularFile.open(path)
    let identification = try ELFIdentification(of: file, path)
    guard let bytes = MappedFile(file) else {
      try ELFFileError.checkLibelf(for: path)
      throw ELFFileError(
        path: path, reason: .malformed("is refused by libelf"), field: "the header")
    }
    self.path = path
    self.elfClass = identification.elfClass
    self.byteOrder = identification.byteOrder
    header = bytes.header
    loadBias = nil
    self.bytes = bytes
  }

  /// The bytes of an image in memory, of this machine's byte order.
  package init(
    loaded bytes: any ELFBytes, _ path: FilePath, _ elfClass: ELFClass, _ machine: Machine,
    _ type: ImageType, loadBias: UInt64
  ) {
    self.path = path
    self.elfClass = elfClass
    byteOrder = .host
    var header = GElf_Ehdr()
    header.e_type = type.rawValue
    header.e_machine = machine.rawValue
    self.header = header
    self.loadBias = loadBias
    self.bytes = bytes
  }

  /// The corresponding field is `e_type`.
  package var type: ImageType { ImageType(rawValue: header.e_type) }
  /// The corresponding field is `e_machine`.
  package var machine: Machine { Machine(rawValue: header.e_machine) }

  /// Throws unless the range lies inside the file.
  func check(
    _ offset: UInt64, _ size: UInt64, field: @autoclosure () -> String
  ) throws(ELFFileError) {
    let (sum, overflow) = offset.addingReportingOverflow(size)
    let end = overflow ? .max : sum
    guard end <= bytes.size else {
      throw error(.truncated(end: end, fileSize: bytes.size), field: field(), at: offset)
    }
  }

  /// A range of the file, laid out as `type`.
  package func data(
    at offset: UInt64, size: UInt64, as type: Elf_Type, field: @autoclosure () -> String
  ) throws(ELFFileError) -> TableData {
    try check(offset, size, field: field())
    guard size <= Self.largestTable else {
      throw error(.tooLarge(size: size), field: field(), at: offset)
    }
    guard size > 0 else { return TableData(offset: offset, of: self) }
    guard let chunk = bytes.chunk(at: offset, size: size, as: type) else {
      throw error(bytes.failure, field: field(), at: offset)
    }
    return TableData(chunk, offset: offset, of: self)
  }

  /// A table of `count` entries, each of `entrySize` bytes in the file and laid out as `type`.
  func table(
    at offset: UInt64, count: UInt64, entrySize: UInt64, as type: Elf_Type,
    field: @autoclosure () -> String
  ) throws(ELFFileError) -> TableData {
    let (size, overflow) = count.multipliedReportingOverflow(by: entrySize)
    return try data(at: offset, size: overflow ? .max : size, as: type, field: field())
  }

  /// A name as text, one of many: what is not UTF-8 becomes U+FFFD.
  ///
  /// Names may lie in one another, so that together they are longer than the file: then it throws.
  func text(_ name: UnsafeRawBufferPointer) throws(ELFFileError) -> String {
    sizeOfTexts += UInt64(name.count)
    guard sizeOfTexts <= Self.largestTable else {
      throw error(.tooLarge(size: sizeOfTexts), field: "the text of all names", at: nil)
    }
    return String(decoding: name, as: UTF8.self)
  }

  /// The entries of a packed table of relocations, and how they are laid out. A table is unpacked once.
  func unpacked(
    at offset: UInt64, size: UInt64, _ packing: UnpackedEntries.Packing, room: UInt64,
    field: String
  ) throws(ELFFileError) -> (table: TableData, kind: RelocationTable.Kind) {
    let key = PackedTable(offset: offset, size: size, packing: packing)
    let entries: UnpackedEntries
    if let known = unpacked[key] {
      entries = known
    } else {
      let packed = try data(at: offset, size: size, as: .bytes, field: field)
      entries = try UnpackedEntries(packed, packing, elfClass, room: room, field: field)
      unpacked[key] = entries
    }
    return (TableData(entries.bytes, offset: offset, of: self), entries.kind)
  }

  private struct PackedTable: Hashable {
    let offset: UInt64
    let size: UInt64
    let packing: UnpackedEntries.Packing
  }

  /// The decompressed bytes of a section. A section is decompressed once: libelf keeps it.
  func decompress(section index: Int) -> DecompressedSection {
    if let bytes = decompressed[index] { return .bytes(bytes) }
    let result = bytes.decompress(section: index)
    if case .bytes(let bytes) = result { decompressed[index] = bytes }
    return result
  }

  package func error(_ reason: ELFFileError.Reason, field: String?, at offset: UInt64?)
    -> ELFFileError
  {
    ELFFileError(path: path, reason: reason, field: field, offset: offset)
  }
}
