#if Commands

import Glibc

/// A copy of a folder for one run after another, with a folder for temporary files beside it.
struct ScratchFolder {
  private static let mostEntries = 2_000
  private static let mostBytes = 32 << 20

  /// A folder, and the place of the working folder in it.
  struct Source {
    var path: String
    var working: String
    /// The place of a file that is no part of it.
    var excluded: String?
  }

  private let source: Source
  /// Below it lie `copy` and `tmp`.
  let root: String
  /// Of the entries of a fresh copy.
  private var pristine: [String: Entry] = [:]

  private struct Entry: Hashable {
    var inode, size: UInt64
    var seconds, nanoseconds: Int
    var isFile: Bool
  }

  var copy: String { "\(root)/copy" }
  var workingFolder: String { "\(copy)\(source.working)" }
  var temporary: String { "\(root)/tmp" }

  init(of source: Source) throws(RunError) {
    self.source = source
    root = try Self.newFolder(outside: source.path)
    do throws(RunError) { try fill() } catch {
      remove()
      throw error
    }
  }

  /// A new folder for temporary files that does not lie in the folder that is copied.
  private static func newFolder(outside source: String) throws(RunError) -> String {
    let places =
      (getenv("TMPDIR").map { [String(cString: $0)] } ?? []) + ["/tmp", "/var/tmp", "/dev/shm"]
    for place in places {
      guard let resolved = realpath(place, nil) else { continue }
      defer { free(resolved) }
      let folder = String(cString: resolved)
      if folder == source || folder.hasPrefix(source == "/" ? "/" : source + "/") { continue }
      var template = Array("\(folder)/rebind-run-XXXXXX".utf8CString)
      if mkdtemp(&template) != nil {
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      }
    }
    throw RunError("no folder for temporary files is outside of \(source): TMPDIR can name one")
  }

  /// The folder that is copied: the one that is named, or the working folder. A file of ours in it is left out.
  static func source(_ named: String?, without file: String?) throws(RunError) -> Source {
    guard let folder = realpath(named ?? ".", nil), let working = realpath(".", nil) else {
      throw RunError("\(named ?? "."): \(String(cString: strerror(errno)))")
    }
    defer {
      free(folder)
      free(working)
    }
    let source = Source(path: String(cString: folder), working: String(cString: working))
    guard source.path == source.working || source.working.hasPrefix(source.path + "/") else {
      throw RunError("the working folder is not in \(source.path), of which each run has a copy")
    }
    if named == nil, let refusal = refusal(of: source.path) { throw RunError(refusal) }
    let own = file.flatMap { realpath($0, nil) }
    defer { free(own) }
    let place = own.map { String(cString: $0) }.flatMap {
      $0.hasPrefix(source.path + "/") ? String($0.dropFirst(source.path.count)) : nil
    }
    return Source(
      path: source.path, working: String(source.working.dropFirst(source.path.count)),
      excluded: place)
  }

  /// Why a folder is not copied without being named; nil if it may be.
  private static func refusal(of folder: String) -> String? {
    var count = 0
    var bytes: UInt64 = 0
    let isComplete = visit(folder, "") { _, status in
      count += 1
      bytes += UInt64(max(status.st_size, 0))
      return count <= mostEntries && bytes <= mostBytes
    }
    return isComplete
      ? nil
      : "each run has a copy of the working folder, which has more than \(mostEntries) entries or \(mostBytes >> 20) MiB: run in a smaller one, or allow it by --scratch \(folder)"
  }

  private mutating func fill() throws(RunError) {
    mkdir(copy, 0o700)
    mkdir(temporary, 0o700)
    guard Self.run(["cp", "-a", "--reflink=auto", "\(source.path)/.", copy]) else {
      throw RunError("\(source.path) could not be copied to \(copy)")
    }
    if let file = source.excluded { unlink("\(copy)\(file)") }
    pristine = entries()
  }

  /// The files that were changed, with sums of their contents; makes a fresh copy then.
  mutating func changes() throws(RunError) -> [String] {
    let now = entries()
    var changes: [String] = []
    for (path, entry) in now where pristine[path] != entry && entry.isFile {
      changes.append("\(path)\t\(Self.sum("\(copy)/\(path)"))")
    }
    for path in pristine.keys where now[path] == nil { changes.append("\(path)\tgone") }
    for path in now.keys where pristine[path] == nil && now[path]?.isFile == false {
      changes.append("\(path)\tnew")
    }
    let hasTemporary = !Self.visit(temporary, "") { _, _ in false }
    if !changes.isEmpty || hasTemporary {
      guard remove() else { throw RunError("\(root) cannot be removed, for a fresh copy") }
      mkdir(root, 0o700)
      try fill()
    }
    return changes.sorted()
  }

  /// Folders that may not be written to have to be opened first.
  @discardableResult
  func remove() -> Bool {
    Self.visit(root, "") { path, status in
      if status.st_mode & S_IFMT == S_IFDIR { chmod("\(root)/\(path)", 0o700) }
      return true
    } && Self.run(["rm", "-rf", root])
  }

  private func entries() -> [String: Entry] {
    var result: [String: Entry] = [:]
    _ = Self.visit(copy, "") { path, status in
      let isFile = status.st_mode & S_IFMT == S_IFREG
      result[path] = Entry(
        inode: UInt64(status.st_ino), size: isFile ? UInt64(status.st_size) : 0,
        seconds: isFile ? status.st_mtim.tv_sec : 0,
        nanoseconds: isFile ? status.st_mtim.tv_nsec : 0,
        isFile: isFile)
      return true
    }
    return result
  }

  private static func sum(_ path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return "not readable" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 65536)
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325
    while true {
      let count = read(descriptor, &bytes, bytes.count)
      guard count > 0 else { break }
      for byte in bytes[..<count] { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    return String(sum, radix: 16)
  }

  /// Visits all that lies below a folder, by its path there. False if `body` wants no more.
  private static func visit(
    _ root: String, _ path: String, _ body: (String, stat) -> Bool
  ) -> Bool {
    guard let folder = opendir(path.isEmpty ? root : "\(root)/\(path)") else { return true }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name == "." || name == ".." { continue }
      let own = path.isEmpty ? name : "\(path)/\(name)"
      var status = stat()
      guard lstat("\(root)/\(own)", &status) == 0 else { continue }
      guard body(own, status) else { return false }
      if status.st_mode & S_IFMT == S_IFDIR, !visit(root, own, body) { return false }
    }
    return true
  }

  private static func run(_ words: [String]) -> Bool {
    let arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    guard posix_spawnp(&process, words[0], nil, nil, arguments, environ) == 0 else { return false }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    return status == 0
  }
}

#endif
