/// Why a file was not read: what is wrong, which field says so, and where that is.
///
/// How it reads is apart, in `message`.
struct InputError: Error {
  var path: InputPath
  var reason: Reason
  /// The field, tag or table at fault, such as `e_phoff` or `DT_STRSZ`.
  var field: String?
  /// Where in the file that is.
  var offset: UInt64?

  enum Reason {
    /// A system call failed, with this `errno`.
    case system(Int32)
    /// A directory, a FIFO, a device or a socket.
    case notRegularFile
    case empty
    case notELF
    /// A range that the file states ends past the end of the file.
    case truncated(end: UInt64, fileSize: UInt64)
    /// One table is larger than `ELFReader.largestTable`.
    case tooLarge(size: UInt64)
    /// There is no memory for a table.
    case outOfMemory
    /// The bytes contradict the format or each other; the words say how.
    case malformed(String)
  }
}
