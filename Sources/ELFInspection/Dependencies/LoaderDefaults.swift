import Glibc
import Rebind
import RebindFiles

/// The folders that a loader was built to search for libraries when nothing else says where.
///
/// The loaders of distributions differ, so this is asked of the loader's own file: its folders
/// are a run of strings there, each from a slash to a slash.
struct LoaderDefaults {
  /// Searched last, in this order.
  var folders: [String]
  /// The path of the cache; nil for musl, which has none.
  var cache: String?
  /// The value of `$LIB`; nil if that is not known.
  var library: String?
  /// True if the loader looks into folders such as `glibc-hwcaps/x86-64-v2`: glibc does so since
  /// 2.33.
  var looksForLevels = true
  /// True if the loader looks into folders such as `tls/x86_64`: glibc did so up to 2.36.
  var looksForLegacyFolders = false
  /// True if `$PLATFORM` may be a name such as `haswell`: glibc has such names since 2.26.
  var namesProcessors = true

  /// Creates the defaults of a loader. A nil `file` stands for a loader that is not there.
  init(_ kind: LoaderKind, path: String, file: ELFFile?, _ root: Sysroot) {
    switch kind {
    case .musl: self = Self.ofMusl(path, root)
    case .glibc: self = file.flatMap { Self(glibc: $0) } ?? Self.usual
    }
  }

  private init(folders: [String], cache: String?, library: String?) {
    self.folders = folders
    self.cache = cache
    self.library = library
  }

  /// The defaults of an unchanged glibc.
  private static let usual = Self(
    folders: ["/lib64", "/usr/lib64", "/lib", "/usr/lib"], cache: "/etc/ld.so.cache",
    library: "lib64")

  /// Nil if its strings do not say.
  private init?(glibc file: ELFFile) {
    var best: [String] = []
    var cache: String?
    var (hasLevels, hasLegacyFolders, hasNames) = (false, false, false)
    for segment in file.segments
    where segment.type == .load && !segment.permissions.contains(.write) {
      guard
        let data = try? file.reader.data(
          at: segment.fileOffset, size: segment.fileSize, as: .bytes, field: "PT_LOAD")
      else { continue }
      var run: [String] = []
      Self.forEachString(in: data.bytes) { string in
        if string.elementsEqual("tls".utf8) { hasLegacyFolders = true }
        if string.elementsEqual("haswell".utf8) { hasNames = true }
        if string.elementsEqual("--glibc-hwcaps-mask".utf8) { hasLevels = true }
        guard string.first == UInt8(ascii: "/"), string.allSatisfy({ (0x21..<0x7f).contains($0) })
        else {
          if run.count > best.count { best = run }
          run = []
          return
        }
        let text = String(decoding: string, as: UTF8.self)
        if text.hasSuffix("/ld.so.cache") { cache = text }
        if text.hasSuffix("/"), text.utf8.count > 1 {
          run.append(String(text.dropLast()))
        } else {
          if run.count > best.count { best = run }
          run = []
        }
      }
      if run.count > best.count { best = run }
    }
    guard let first = best.first else { return nil }
    self.init(
      folders: best, cache: cache ?? "/etc/ld.so.cache", library: String(first.dropFirst()))
    (looksForLevels, looksForLegacyFolders, namesProcessors) = (
      hasLevels, hasLegacyFolders, hasNames
    )
  }

  /// Calls `body` with each run of bytes that are not zero.
  private static func forEachString(
    in bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    var offset = 0
    while offset < bytes.count, let start = bytes.baseAddress {
      let rest = bytes.count - offset
      let end = memchr(start + offset, 0, rest).map { UnsafeRawPointer($0) - (start + offset) }
      body(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + (end ?? rest)]))
      offset += (end ?? rest) + 1
    }
  }

  /// By the file of musl's that lists them, beside the loader's folder.
  private static func ofMusl(_ path: String, _ root: Sysroot) -> Self {
    var list = "/lib:/usr/local/lib:/usr/lib"
    let name = FilePath(path).lastComponent
    // "/lib/ld-musl-x86_64.so.1" has "/etc/ld-musl-x86_64.path".
    let prefix = path.hasSuffix("/lib/\(name)") ? String(path.dropLast(name.utf8.count + 5)) : ""
    if name.hasSuffix(".so.1") {
      let file = root.outside(FilePath("\(prefix)/etc/\(name.dropLast(5)).path"))
      if let opened = try? RegularFile.open(root.resolved(file)), opened.size < 1 << 20 {
        list = String(decoding: opened.read(Int(opened.size), at: 0), as: UTF8.self)
      }
    }
    let folders = list.split { $0 == ":" || $0 == "\n" }.map(String.init)
    return Self(folders: folders, cache: nil, library: nil)
  }
}
