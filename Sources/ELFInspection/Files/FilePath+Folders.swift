import Glibc
package import RebindFiles

extension FilePath {
  package var isAbsolute: Bool { bytes.first == UInt8(ascii: "/") }

  /// True for a folder, and for a link to one.
  var isFolder: Bool {
    var status = stat()
    return stat(cString, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The folder that it is in; "." for a bare name. The corresponding function is `dirname`.
  package var folder: FilePath {
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return FilePath(".") }
    return slash == 0 ? FilePath("/") : FilePath(Array(bytes[..<slash]))
  }

  /// The path of a file in this folder.
  package func appending(_ name: String) -> FilePath { appending(Array(name.utf8)) }

  /// The same for a name that need not be UTF-8.
  func appending(_ name: [UInt8]) -> FilePath {
    let bytes = bytes
    if bytes.isEmpty { return FilePath(name) }
    let separator: [UInt8] = bytes.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
    return FilePath(bytes + separator + name)
  }

  /// True if it is the folder itself or a path in it, as they are spelled.
  package func isInside(_ folder: FilePath) -> Bool {
    bytes == folder.bytes || bytes.starts(with: folder.appending("").bytes)
  }

  /// False if the regular file starts as neither an ELF file nor an archive does. True also if it
  /// cannot be opened: whoever opens it is told why.
  package var mayHoldELF: Bool {
    let descriptor = open(cString, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    var start: (UInt8, UInt8, UInt8, UInt8) = (0, 0, 0, 0)
    guard pread(descriptor, &start, 4, 0) == 4 else { return false }
    return withUnsafeBytes(of: start) { bytes in
      ["\u{7F}ELF", "!<ar", "!<th"].contains { bytes.elementsEqual($0.utf8) }
    }
  }

  /// The path without links, and from the root; nil if the file does not exist. The corresponding
  /// function is `realpath`.
  package var resolved: FilePath? {
    guard let path = realpath(cString, nil) else { return nil }
    defer { free(path) }
    return FilePath(Array(UnsafeRawBufferPointer(start: path, count: strlen(path))))
  }
}
