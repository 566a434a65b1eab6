import Glibc
import RebindFiles

/// The files and folders in one folder, in the order of their names' bytes.
struct FolderListing {
  /// The names, one after another.
  private var names: [UInt8] = []
  private(set) var files: [File] = []
  /// Why not all could be read, as an `errno`; nil if all were.
  private(set) var failure: Int32?

  struct File {
    fileprivate let start: Int
    fileprivate let end: Int
    let isFolder: Bool
    let inode: ino_t
  }

  func name(of file: File) -> [UInt8] { Array(names[file.start..<file.end]) }

  /// Reads a folder, unless it has come before: one that is mounted below itself has no end.
  ///
  /// - Returns: Its device; nil if it was not read.
  mutating func read(_ folder: FilePath, _ known: inout KnownFiles) -> dev_t? {
    guard let stream = opendir(folder.cString) else {
      failure = errno
      return nil
    }
    defer { closedir(stream) }
    var status = stat()
    guard fstat(dirfd(stream), &status) == 0, known.insert(status.st_dev, status.st_ino) else {
      return nil
    }
    errno = 0
    while let entry = readdir(stream) {
      append(entry, in: stream)
      errno = 0
    }
    if errno != 0 { failure = errno }
    names.withUnsafeBytes { names in
      files.sort { left, right in
        let (left, right) = (names[left.start..<left.end], names[right.start..<right.end])
        return left.lexicographicallyPrecedes(right)
      }
    }
    return status.st_dev
  }

  private mutating func append(_ entry: UnsafeMutablePointer<dirent>, in stream: OpaquePointer) {
    // The entry is no longer than its name: it must not be copied as a whole.
    withUnsafePointer(to: &entry.pointee.d_name) { name in
      let name = UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self)
      if strcmp(name, ".") == 0 || strcmp(name, "..") == 0 { return }
      let type = Self.type(entry.pointee.d_type, named: name, in: stream)
      guard type == S_IFDIR || type == S_IFREG else { return }
      let start = names.count
      names += UnsafeRawBufferPointer(start: name, count: strlen(name))
      files.append(
        File(
          start: start, end: names.count, isFolder: type == S_IFDIR, inode: entry.pointee.d_ino))
    }
  }

  /// The file type of `st_mode`; 0 if it is not known.
  private static func type(
    _ type: UInt8, named name: UnsafePointer<CChar>, in stream: OpaquePointer
  ) -> mode_t {
    switch Int(type) {
    case DT_DIR: return S_IFDIR
    case DT_REG: return S_IFREG
    case DT_UNKNOWN:
      // Some file systems do not say.
      var status = stat()
      guard fstatat(dirfd(stream), name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return 0 }
      return status.st_mode & S_IFMT
    default: return 0
    }
  }
}
