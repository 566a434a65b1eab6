import Glibc
package import RebindFiles

/// The files that paths stand for: themselves, and of folders all that is below them.
///
/// Symbolic links below a folder are not followed, as by `grep -r`; those that are given are. A file
/// comes once, however many names it has.
package struct FileWalk {
  package private(set) var entries: [Entry] = []
  private var known: Set<Identity> = []

  package struct Entry: Sendable {
    package let path: FilePath
    /// True for a regular file below a folder that was named.
    package let isFound: Bool
    /// Why a folder could not be looked into, as an `errno`; 0 for a file.
    private let failure: Int32

    fileprivate init(_ path: FilePath, isFound: Bool = false, failure: Int32 = 0) {
      self.path = path
      self.isFound = isFound
      self.failure = failure
    }

    /// Why a folder could not be looked into; nil for a file.
    package var error: ELFFileError? {
      failure == 0 ? nil : ELFFileError(path: path, reason: .system(failure))
    }
  }

  private struct Identity: Hashable {
    let device: dev_t
    let inode: ino_t
  }

  /// In the order of the paths; in a folder by their names' bytes.
  ///
  /// - Complexity: O(*n* log *n*), where *n* is the number of files.
  package init(_ paths: [FilePath]) {
    for path in paths {
      var status = stat()
      guard stat(path.cString, &status) == 0 else {
        // Opening it says why, unless it names a member of an archive.
        entries.append(Entry(path))
        continue
      }
      if status.st_mode & S_IFMT == S_IFDIR {
        walk(path)
      } else if known.insert(Identity(device: status.st_dev, inode: status.st_ino)).inserted {
        entries.append(Entry(path))
      }
    }
  }

  private mutating func walk(_ folder: FilePath) {
    guard let stream = opendir(folder.cString) else {
      entries.append(Entry(folder, failure: errno))
      return
    }
    var status = stat()
    var found: [(name: [UInt8], isFolder: Bool, inode: ino_t)] = []
    // A folder that is mounted below itself has no end.
    if fstat(dirfd(stream), &status) == 0,
      known.insert(Identity(device: status.st_dev, inode: status.st_ino)).inserted
    {
      errno = 0
      while let entry = readdir(stream) {
        // The entry is no longer than its name: it must not be copied as a whole.
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          let name = UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self)
          return Array(UnsafeRawBufferPointer(start: name, count: strlen(name)))
        }
        if name == Array(".".utf8) || name == Array("..".utf8) { continue }
        switch Self.type(entry.pointee.d_type, named: name, in: stream) {
        case S_IFDIR: found.append((name, true, entry.pointee.d_ino))
        case S_IFREG: found.append((name, false, entry.pointee.d_ino))
        default: break
        }
        errno = 0
      }
      if errno != 0 { entries.append(Entry(folder, failure: errno)) }
    }
    closedir(stream)
    found.sort { $0.name.lexicographicallyPrecedes($1.name) }
    for (name, isFolder, inode) in found {
      let path = folder.appending(name)
      if isFolder {
        walk(path)
      } else if known.insert(Identity(device: status.st_dev, inode: inode)).inserted
        || !isKnown(path)
      {
        entries.append(Entry(path, isFound: true))
      }
    }
  }

  /// True if a file was there before. Some file systems give all their entries one number, or those
  /// of their layers equal ones: then the file itself is asked.
  private mutating func isKnown(_ path: FilePath) -> Bool {
    var status = stat()
    guard lstat(path.cString, &status) == 0 else { return false }
    return !known.insert(Identity(device: status.st_dev, inode: status.st_ino)).inserted
  }

  /// The file type of `st_mode`; 0 if it is not known.
  private static func type(_ type: UInt8, named name: [UInt8], in stream: OpaquePointer) -> mode_t {
    switch Int(type) {
    case DT_DIR: return S_IFDIR
    case DT_REG: return S_IFREG
    case DT_UNKNOWN:
      // Some file systems do not say.
      var status = stat()
      let name = name.map { CChar(bitPattern: $0) } + [0]
      guard fstatat(dirfd(stream), name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return 0 }
      return status.st_mode & S_IFMT
    default: return 0
    }
  }
}
