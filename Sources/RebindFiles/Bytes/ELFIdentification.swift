import CLibelf
import Glibc

/// The first bytes of a file: is it ELF, and how are its words to be read? The corresponding
/// field is `e_ident`.
struct ELFIdentification {
  let elfClass: ELFClass
  let byteOrder: ByteOrder

  init(of file: borrowing RegularFile, _ path: FilePath) throws(ELFFileError) {
    let bytes = file.read(Int(EI_NIDENT), at: 0)
    guard bytes.starts(with: ELFMAG.utf8) else {
      throw ELFFileError(path: path, reason: .notELF)
    }
    guard bytes.count == EI_NIDENT else {
      throw ELFFileError(
        path: path, reason: .truncated(end: UInt64(EI_NIDENT), fileSize: file.size),
        field: "e_ident", offset: 0)
    }
    func malformed(_ field: String, _ index: Int32) -> ELFFileError {
      ELFFileError(
        path: path, reason: .malformed("is \(bytes[Int(index)])"), field: field,
        offset: UInt64(index))
    }
    guard let elfClass = ELFClass(rawValue: bytes[Int(EI_CLASS)]) else {
      throw malformed("EI_CLASS", EI_CLASS)
    }
    guard let byteOrder = ByteOrder(rawValue: bytes[Int(EI_DATA)]) else {
      throw malformed("EI_DATA", EI_DATA)
    }
    guard bytes[Int(EI_VERSION)] == EV_CURRENT else {
      throw malformed("EI_VERSION", EI_VERSION)
    }
    let headerSize =
      elfClass == .bits64 ? MemoryLayout<Elf64_Ehdr>.size : MemoryLayout<Elf32_Ehdr>.size
    guard file.size >= headerSize else {
      throw ELFFileError(
        path: path, reason: .truncated(end: UInt64(headerSize), fileSize: file.size),
        field: "the ELF header", offset: 0)
    }
    self.elfClass = elfClass
    self.byteOrder = byteOrder
  }
}
