import Glibc
package import RebindFiles

/// The files that paths stand for: themselves, and of folders all that is below them.
///
/// Symbolic links below a folder are not followed, as by `grep -r`; those that are given are. A file
/// comes once, however many names it has. A folder may have hundreds of thousands of files, so their
/// names lie behind each other in one place.
package struct FileWalk: Sendable {
  /// The folders that were named, but for those that came before.
  package private(set) var roots: [Root] = []
  private var folders: [FilePath] = []
  /// The names of the files, each ended by a zero byte.
  private var names: [UInt8] = []
  private var places: [Place] = []
  private var known = KnownFiles()

  package struct Entry: Sendable {
    package let path: FilePath
    /// The index of the named folder that the regular file is below; nil for what was named itself.
    package let root: Int?
    /// Why a folder could not be looked into, as an `errno`; 0 for a file.
    fileprivate let failure: Int32

    /// Why a folder could not be looked into; nil for a file.
    package var error: ELFFileError? {
      failure == 0 ? nil : ELFFileError(path: path, reason: .system(failure))
    }
  }

  /// A folder that was named.
  package struct Root: Sendable {
    package let path: FilePath
    /// The index of the first entry below it.
    fileprivate let start: Int
    /// True if parts of it came before, or could not be read.
    package fileprivate(set) var isPartial = false
  }

  /// Where the parts of an entry are.
  private struct Place {
    /// Where its name begins; -1 if it has none of its own.
    let name: Int
    /// The index of the folder that it is in, or of the path that was named.
    let folder: Int32
    let failure: Int32
  }

  /// In the order of the paths; in a folder by their names' bytes.
  ///
  /// - Parameter isEachOnce: Whether a file that is named twice comes once, even if no folder is named.
  /// - Complexity: O(*n* log *n*), where *n* is the number of files.
  package init(_ paths: [FilePath], isEachOnce: Bool) {
    guard isEachOnce || paths.contains(where: \.isFolder) else {
      for path in paths { append(path) }
      return
    }
    for path in paths {
      var status = stat()
      guard stat(path.cString, &status) == 0 else {
        // Opening it says why, unless it names a member of an archive.
        append(path)
        continue
      }
      if status.st_mode & S_IFMT == S_IFDIR {
        roots.append(Root(path: path, start: places.count))
        walk(path)
      } else if known.insert(status.st_dev, status.st_ino) {
        append(path)
      }
    }
    known = KnownFiles()
  }

  private mutating func append(_ path: FilePath, failure: Int32 = 0) {
    folders.append(path)
    places.append(Place(name: -1, folder: Int32(folders.count - 1), failure: failure))
  }

  private mutating func walk(_ folder: FilePath) {
    var listing = FolderListing()
    let device = listing.read(folder, &known)
    if let failure = listing.failure {
      append(folder, failure: failure)
      roots[roots.count - 1].isPartial = true
    }
    guard let device else {
      roots[roots.count - 1].isPartial = true
      return
    }
    folders.append(folder)
    let index = Int32(folders.count - 1)
    for file in listing.files {
      let name = listing.name(of: file)
      if file.isFolder {
        walk(folder.appending(name))
      } else if known.insert(device, file.inode) || !isKnown(folder.appending(name)) {
        places.append(Place(name: names.count, folder: index, failure: 0))
        names += name
        names.append(0)
      } else {
        roots[roots.count - 1].isPartial = true
      }
    }
  }

  /// True if a file was seen before. Some file systems give all their entries one number, or those
  /// of their layers equal ones: then the file itself is asked.
  private mutating func isKnown(_ path: FilePath) -> Bool {
    var status = stat()
    guard lstat(path.cString, &status) == 0 else { return false }
    return !known.insert(status.st_dev, status.st_ino)
  }
}

extension FileWalk: RandomAccessCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { places.count }

  package subscript(index: Int) -> Entry {
    let place = places[index]
    let folder = folders[Int(place.folder)]
    guard place.name >= 0 else {
      return Entry(path: folder, root: nil, failure: place.failure)
    }
    return Entry(
      path: folder.appending(Array(names[place.name...].prefix { $0 != 0 })),
      root: roots.lastIndex { $0.start <= index }, failure: 0)
  }
}

/// The files that have come, by their numbers on their devices.
struct KnownFiles: Sendable {
  private var numbers: [dev_t: Set<ino_t>] = [:]

  /// False if it was there before.
  mutating func insert(_ device: dev_t, _ number: ino_t) -> Bool {
    numbers[device, default: []].insert(number).inserted
  }
}
