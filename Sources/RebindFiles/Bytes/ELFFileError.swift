/// Why a file was not read: what is wrong, which field says so, and where that is.
///
/// The wording is in `message`.
public struct ELFFileError: Error {
  package var filePath: FilePath
  /// The fault in the file.
  package var reason: Reason
  /// The field, tag or table at fault, such as `e_phoff` or `DT_STRSZ`.
  public var field: String?
  /// Where in the file that is.
  public var offset: UInt64?

  package init(path: FilePath, reason: Reason, field: String? = nil, offset: UInt64? = nil) {
    filePath = path
    self.reason = reason
    self.field = field
    self.offset = offset
  }

  /// The `errno` of the system call that failed, or 0.
  public var systemError: Int32 {
    if case .system(let error) = reason { error } else { 0 }
  }

  /// The file; what of its path is not UTF-8 is U+FFFD here.
  public var path: String { filePath.text }

  /// A fault in a file, with what its sentence says.
  package enum Reason: Sendable, Hashable {
    /// A system call failed, with this `errno`.
    case system(Int32)
    /// A directory, a FIFO, a device or a socket.
    case notRegularFile
    /// The file has no bytes.
    case empty
    /// The file does not start as an ELF file does.
    case notELF
    /// A range that the file states ends past the end of the file.
    case truncated(end: UInt64, fileSize: UInt64)
    /// A table, or what a compressed section holds, is larger than 256 MiB.
    case tooLarge(size: UInt64)
    /// A table does not fit into memory.
    case outOfMemory
    /// The bytes contradict the format or each other; the words say how.
    case malformed(String)
    /// The file has no section of this name.
    case noSection(String)
    /// The file has no section headers, and no note that says where the section is.
    case noSectionHeaders(String)
    /// The archive has no member of this name.
    case noMember(String)
    /// The image is no longer in the process's memory.
    case vanished
    /// The process has no memory any more.
    case ended
    /// The process is a part of the kernel, and has no memory of its own.
    case kernelThread
    /// No image of the process with this number is the one that is asked for.
    case notLoaded(process: Int32)
    /// The format allows what the file does, but it cannot be read here; the words say why.
    case unsupported(String)
  }
}

extension ELFFileError: CustomStringConvertible {
  /// `libfoo.so: truncated: DT_STRTAB ends at 0x7120, the file at 0x4000`.
  public var description: String { "\(path): \(message)" }
}
