import RebindFiles

/// A mapping of a process. The corresponding file is `/proc/PID/maps`.
struct ProcessMapping {
  let start: UInt64
  let end: UInt64
  /// Where in the file it begins.
  let offset: UInt64
  /// The permissions: `rwxp` or the like.
  let permissions: String
  /// The file's device and inode, as the kernel writes them.
  let identity: String
  /// Empty for memory that is of no file.
  let path: [UInt8]

  /// False for memory of its own, and for what the kernel puts there.
  var isOfFile: Bool { path.first.map { $0 != UInt8(ascii: "[") } ?? false }

  /// True if the file had its last link taken away.
  var isDeleted: Bool {
    path.count > Self.deleted.count && path.suffix(Self.deleted.count) == Self.deleted[...]
  }
  /// The path without what the kernel adds to that of a file that is gone.
  var pathOfFile: [UInt8] { isDeleted ? Array(path.dropLast(Self.deleted.count)) : path }

  private static let deleted = Array(" (deleted)".utf8)

  /// True if the byte at an address is that of the file at an offset.
  func holds(_ address: UInt64, of offset: UInt64) -> Bool {
    address >= start && address < end && address - start + self.offset == offset
  }

  /// The places where the file may be: as the process sees its own files, and as this one does. The
  /// kernel uses the latter to name a file of a process in a `chroot`.
  ///
  /// - Parameter withoutNote: Leaves out what the kernel adds to the path of a file that is gone.
  func places(of pid: Int32, withoutNote: Bool = false) -> [FilePath] {
    let path = withoutNote ? pathOfFile : path
    return [FilePath(Array("/proc/\(pid)/root".utf8) + path), FilePath(path)]
  }

  /// A path with its newlines, which the kernel writes as `\012`.
  private static func decoded(_ path: some Collection<UInt8>) -> [UInt8] {
    let escape = Array(#"\012"#.utf8)
    var result: [UInt8] = []
    var rest = Array(path)[...]
    while let byte = rest.first {
      let isNewline = rest.starts(with: escape)
      result.append(isNewline ? UInt8(ascii: "\n") : byte)
      rest = rest.dropFirst(isNewline ? escape.count : 1)
    }
    return result
  }

  /// Reads a line: `start-end permissions offset device inode path`.
  init?(_ line: some Collection<UInt8>) {
    let fields = line.split(
      separator: UInt8(ascii: " "), maxSplits: 5, omittingEmptySubsequences: true)
    guard fields.count >= 5 else { return nil }
    let texts = fields.prefix(5).map { String(decoding: $0, as: UTF8.self) }
    let range = texts[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
    guard range.count == 2, range[0] < range[1], let offset = UInt64(texts[2], radix: 16)
    else { return nil }
    start = range[0]
    end = range[1]
    self.offset = offset
    permissions = texts[1]
    identity = "\(texts[3]) \(texts[4])"
    path = fields.count > 5 ? Self.decoded(fields[5].drop { $0 == UInt8(ascii: " ") }) : []
  }
}
