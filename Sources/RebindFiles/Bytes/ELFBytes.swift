package import CLibelf

/// Where the bytes come from that a reader has: a file, or the memory of a process.
package protocol ELFBytes: AnyObject {
  var size: UInt64 { get }
  /// Why `chunk` gives nothing.
  var failure: ELFFileError.Reason { get }

  /// A range in the host's byte order, valid as long as this object. The caller has checked that it
  /// is inside.
  func chunk(at offset: UInt64, size: UInt64, as type: Elf_Type) -> UnsafeRawBufferPointer?

  /// The decompressed bytes of a section; the caller has checked its size.
  func decompress(section index: Int) -> DecompressedSection
}

/// The result of decompressing a section.
package enum DecompressedSection {
  case bytes([UInt8])
  /// Why not, in libelf's words.
  case refused(String)
}

/// The bytes of a file, by libelf.
///
/// A few are read, and from then on the file is mapped. Most files are done by then. Unmapping a
/// file interrupts the processors of all other threads: several threads that map each of many files
/// take as long as one.
final class MappedFile: ELFBytes {
  private let file: RegularFile
  private let unmapped: LibelfHandle
  private var mapped: LibelfHandle?
  /// How many bytes may still be read.
  private var budget: UInt64 = 1 << 20
  let header: GElf_Ehdr
  var size: UInt64 { file.size }

  /// Nil if libelf refuses the file.
  init?(_ file: consuming RegularFile) {
    guard let unmapped = LibelfHandle(file, isMapped: false), let header = unmapped.header()
    else { return nil }
    // All of a member is there.
    if file.start > 0 { budget = .max }
    self.file = file
    self.unmapped = unmapped
    self.header = header
  }

  var failure: ELFFileError.Reason {
    let now = file.currentSize
    return now < file.size ? .truncated(end: file.size, fileSize: now) : .outOfMemory
  }

  func chunk(at offset: UInt64, size: UInt64, as type: Elf_Type) -> UnsafeRawBufferPointer? {
    guard size > budget else {
      if budget != .max { budget -= size }
      return unmapped.chunk(at: offset, size: size, as: type)
    }
    map()
    return mapped?.chunk(at: offset, size: size, as: type)
  }

  func decompress(section index: Int) -> DecompressedSection {
    map()
    return mapped?.decompress(section: index) ?? .refused("out of memory")
  }

  private func map() {
    if mapped == nil { mapped = LibelfHandle(file, isMapped: true) }
  }
}
