#if os(Linux) && !REBIND_ELSEWHERE
/// A part of an image that one program header describes.
///
/// The corresponding C type is `ElfW(Phdr)`.
public struct Segment: Sendable, Hashable {
  /// The purpose of the segment: `p_type`.
  public var type: SegmentType
  /// The access that the program has to its pages: `p_flags`.
  public var permissions: SegmentPermissions
  /// Where it begins in the file, in bytes: `p_offset`.
  public var fileOffset: UInt64
  /// Its link-time address, `p_vaddr`: add the load bias for the one in memory.
  public var address: UInt64
  /// How many of its bytes are in the file: `p_filesz`.
  public var fileSize: UInt64
  /// How many bytes it has in memory, the rest being zero: `p_memsz`.
  public var memorySize: UInt64
  /// A power of two modulo which addresses and offsets agree, 0 or 1 for none: `p_align`.
  public var alignment: UInt64

  /// Describes a program header of an image or of a file.
  package init(
    type: SegmentType, permissions: SegmentPermissions, fileOffset: UInt64, address: UInt64,
    fileSize: UInt64, memorySize: UInt64, alignment: UInt64
  ) {
    self.type = type
    self.permissions = permissions
    self.fileOffset = fileOffset
    self.address = address
    self.fileSize = fileSize
    self.memorySize = memorySize
    self.alignment = alignment
  }

  /// True if the link-time address lies in the segment.
  public func contains(_ address: UInt64) -> Bool {
    address >= self.address && address - self.address < memorySize
  }
}

extension Segment: CustomStringConvertible {
  /// `LOAD r-x 0x1000, 4096 bytes`.
  public var description: String {
    "\(type) \(permissions) \(hexadecimal(address)), \(memorySize) bytes"
  }
}
#endif
