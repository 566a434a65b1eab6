import CLibelf
import Glibc
import Rebind

/// A section whose bytes are compressed, and what its header says of them. The corresponding flag
/// is `SHF_COMPRESSED`, the type `Elf64_Chdr`.
struct CompressedSection {
  private let reader: ELFReader
  private let header: SectionHeader
  private let index: Int
  private let field: String

  /// Nil if the section is not compressed. Throws, before anything is decompressed, if the size in
  /// its header is impossible: 256 MiB are the limit, and a byte of zlib's cannot expand to more
  /// than 1032 bytes.
  init?(
    of file: ELFFile, _ header: SectionHeader, at index: Int, named name: String
  ) throws(ELFFileError) {
    guard header.flags.contains(.compressed) else { return nil }
    self.reader = file.reader
    self.header = header
    self.index = index
    let field = "section \(name)"
    let reader = file.reader
    self.field = field
    func error(_ reason: ELFFileError.Reason) -> ELFFileError {
      reader.error(reason, field: field, at: header.offset)
    }
    let is64 = file.elfClass == .bits64
    let headerSize =
      UInt64(is64 ? MemoryLayout<Elf64_Chdr>.size : MemoryLayout<Elf32_Chdr>.size)
    guard header.size >= headerSize else {
      throw error(.malformed("is compressed and has \(header.size) bytes"))
    }
    let data = try reader.data(
      at: header.offset, size: headerSize, as: .compressionHeader, field: field)
    let (type, size): (UInt32, UInt64)
    if is64 {
      let entry = data.entry(0, as: Elf64_Chdr.self)
      (type, size) = (entry.ch_type, entry.ch_size)
    } else {
      let entry = data.entry(0, as: Elf32_Chdr.self)
      (type, size) = (entry.ch_type, UInt64(entry.ch_size))
    }
    let packed = header.size - headerSize
    guard size <= ELFReader.largestTable else { throw error(.tooLarge(size: size)) }
    switch Int32(bitPattern: type) {
    case ELFCOMPRESS_ZLIB:
      guard size / 1032 <= packed else {
        throw error(.malformed("states \(size) bytes, and its \(packed) cannot hold so many"))
      }
    case Self.zstd: break
    default: throw error(.unsupported("is compressed in the unknown way \(type)"))
    }
    kind = type
  }

  private let kind: UInt32
  /// The constant is `ELFCOMPRESS_ZSTD`, which not every `elf.h` has.
  private static let zstd: Int32 = 2

  /// The bytes that it was made of.
  func decompressed() throws(ELFFileError) -> [UInt8] {
    switch reader.decompress(section: index) {
    case .bytes(let bytes): return bytes
    case .refused(let why):
      // An older libelf knows of zlib alone.
      throw Int32(bitPattern: kind) == Self.zstd
        ? error(.unsupported("is compressed with zstd: \(why)"))
        : error(.malformed("cannot be decompressed: \(why)"))
    }
  }

  private func error(_ reason: ELFFileError.Reason) -> ELFFileError {
    reader.error(reason, field: field, at: header.offset)
  }
}
