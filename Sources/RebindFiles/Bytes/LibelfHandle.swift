package import CLibelf
import Glibc

/// libelf's descriptor of a file, ended with the last use of this value.
///
/// The type is all that calls libelf. It trusts its caller with the ranges,
/// which `ELFReader` checks.
struct LibelfHandle: ~Copyable {
  private let elf: OpaquePointer
  /// The archive around a member, which libelf does not free.
  private let member: Member?

  private enum Member {
    case pages(UnsafeMutableRawBufferPointer)
    case copy(UnsafeMutableRawBufferPointer)
  }

  /// Maps the file, or else reads what is asked for. A member of an archive is read as a whole, if it
  /// is small. The corresponding calls are `elf_begin` with `ELF_C_READ_MMAP` or `ELF_C_READ`, and
  /// `elf_memory` for a member.
  init?(_ file: borrowing RegularFile, isMapped: Bool) {
    elf_version(UInt32(EV_CURRENT))
    guard file.start > 0 else {
      guard let elf = elf_begin(file.descriptor, isMapped ? ELF_C_READ_MMAP : ELF_C_READ, nil)
      else { return nil }
      self.elf = elf
      member = nil
      return
    }
    if !isMapped, file.size <= Self.smallMember {
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(file.size), alignment: 16)
      guard file.read(into: copy), let elf = Self.memory(copy.baseAddress, copy.count) else {
        copy.deallocate()
        return nil
      }
      self.elf = elf
      member = .copy(copy)
      return
    }
    let distance = Int(file.start) % Int(getpagesize())
    let size = distance + Int(file.size)
    // Writable, and never written to the file: elf_compress changes the section header in place.
    let start = mmap(
      nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file.descriptor, Int(file.start) - distance)
    guard let start, start != MAP_FAILED else { return nil }
    guard let elf = Self.memory(start + distance, Int(file.size)) else {
      munmap(start, size)
      return nil
    }
    self.elf = elf
    member = .pages(UnsafeMutableRawBufferPointer(start: start, count: size))
  }

  deinit {
    elf_end(elf)
    switch member {
    case .pages(let pages)?: munmap(pages.baseAddress, pages.count)
    case .copy(let copy)?: copy.deallocate()
    case nil: break
    }
  }

  private static func memory(_ start: UnsafeMutableRawPointer?, _ size: Int) -> OpaquePointer? {
    elf_memory(start?.assumingMemoryBound(to: CChar.self), size)
  }

  private static let smallMember: UInt64 = 1 << 20

  /// The ELF header. The corresponding call is `gelf_getehdr`.
  func header() -> GElf_Ehdr? {
    var header = GElf_Ehdr()
    return gelf_getehdr(elf, &header) == nil ? nil : header
  }

  /// A range of the file in the host's byte order, valid as long as this value; nil if memory for
  /// it is missing.
  ///
  /// It is the mapping itself, if that exists, is in the host's order and aligned, and else a copy.
  /// The corresponding call is `elf_getdata_rawchunk`.
  func chunk(at offset: UInt64, size: UInt64, as type: Elf_Type) -> UnsafeRawBufferPointer? {
    guard let offset = Int64(exactly: offset), let size = Int(exactly: size),
      let data = elf_getdata_rawchunk(elf, offset, size, type)
    else { return nil }
    return UnsafeRawBufferPointer(start: data.pointee.d_buf, count: data.pointee.d_size)
  }

  /// The decompressed bytes of a section; the caller has checked its size. The corresponding calls
  /// are `elf_compress` and `elf_getdata`.
  func decompress(section index: Int) -> DecompressedSection {
    guard let section = elf_getscn(elf, index), elf_compress(section, 0, 0) == 1,
      let data = elf_getdata(section, nil)
    else { return .refused(elf_errmsg(-1).map { String(cString: $0) } ?? "unknown error") }
    return .bytes(
      Array(UnsafeRawBufferPointer(start: data.pointee.d_buf, count: data.pointee.d_size)))
  }
}

/// How the bytes of a range are laid out.
extension Elf_Type {
  package static var bytes: Self { ELF_T_BYTE }
  static var compressionHeader: Self { ELF_T_CHDR }
}

extension ELFFileError {
  /// Throws what to install, if libelf is not there. Nothing is known of a file then.
  package static func checkLibelf(for path: FilePath) throws(ELFFileError) {
    guard let lack = crebind_libelf_lack() else { return }
    throw ELFFileError(
      path: path, reason: .unsupported("cannot be read: \(String(cString: lack))"),
      field: "the file")
  }
}
