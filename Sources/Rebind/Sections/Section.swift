#if os(Linux) && !REBIND_ELSEWHERE
/// A named part of an image, from its section header.
///
/// The corresponding C types are `ElfW(Shdr)` and `crebind_section`.
public struct Section: Sendable, Hashable {
  /// The source that says where a section is: section headers are not loaded.
  public enum Provenance: Sendable, Hashable {
    /// A note that the image carries; see Documentation/ABI/Annotations.md. The
    /// corresponding constant is `CREBIND_SECTION_FROM_NOTE`.
    case note
    /// The section headers of the file at this path, which is proven to be the image's. The
    /// corresponding constant is `CREBIND_SECTION_FROM_FILE`.
    case file(String)
    /// Section headers in memory, which the vDSO has. The corresponding constant is
    /// `CREBIND_SECTION_FROM_MEMORY`.
    case memory
  }

  /// The name: `.text`.
  public var name: String
  /// Its link-time address, `sh_addr`: add the load bias for the one in memory. 0 for a
  /// section that is in the file alone.
  public var address: UInt64
  /// How many bytes it has: `sh_size`.
  public var size: UInt64
  /// The kind of its contents: `sh_type`.
  public var type: SectionType
  /// How it is linked and loaded: `sh_flags`. For a note, the flags that the permissions of its
  /// segment imply.
  public var flags: SectionFlags
  /// A power of two that the address is a multiple of, 0 or 1 for any: `sh_addralign`. For a note
  /// it is 1, as notes do not have it.
  public var alignment: UInt64
  /// The size of an entry in bytes, 0 if they have not one size: `sh_entsize`.
  public var entrySize: UInt64
  /// The source of this description.
  public var provenance: Provenance

  /// Describes a section of an image or of a file.
  package init(
    name: String, address: UInt64, size: UInt64, type: SectionType = .programData,
    flags: SectionFlags = .allocated, alignment: UInt64 = 1, entrySize: UInt64 = 0,
    provenance: Provenance
  ) {
    self.name = name
    self.address = address
    self.size = size
    self.type = type
    self.flags = flags
    self.alignment = alignment
    self.entrySize = entrySize
    self.provenance = provenance
  }
}

extension Section: CustomStringConvertible {
  /// `.data PROGBITS WA 0x4000, 16 bytes`.
  public var description: String {
    "\(name) \(type) \(flags) \(hexadecimal(address)), \(size) bytes"
  }
}

extension Section.Provenance: CustomStringConvertible {
  /// `a note`, `/lib/libz.so`, `memory`.
  public var description: String {
    switch self {
    case .note: "a note"
    case .file(let path): path
    case .memory: "memory"
    }
  }
}
#endif
