import CLibelf

/// Where the bytes come from that a reader has: a file, or the memory of a process.
protocol ELFBytes: AnyObject {
  var size: UInt64 { get }
  /// Why `chunk` gives nothing.
  var failure: ELFFileError.Reason { get }

  /// A range in the host's byte order, valid as long as this object. The caller has checked that it
  /// is inside.
  func chunk(at offset: UInt64, size: UInt64, as type: Elf_Type) -> UnsafeRawBufferPointer?

  /// What a compressed section was made of; the caller has checked its size.
  func decompress(section index: Int) -> LibelfHandle.Decompressed
}

/// The bytes of a file, by libelf.
final class MappedFile: ELFBytes {
  private let file: RegularFile
  private let handle: LibelfHandle
  let header: GElf_Ehdr
  var size: UInt64 { file.size }
  var failure: ELFFileError.Reason { .outOfMemory }

  /// Nil if libelf refuses the file.
  init?(_ file: consuming RegularFile) {
    guard let handle = LibelfHandle(file), let header = handle.header() else { return nil }
    self.file = file
    self.handle = handle
    self.header = header
  }

  func chunk(at offset: UInt64, size: UInt64, as type: Elf_Type) -> UnsafeRawBufferPointer? {
    handle.chunk(at: offset, size: size, as: type)
  }

  func decompress(section index: Int) -> LibelfHandle.Decompressed {
    handle.decompress(section: index)
  }
}
