public import Foundation
import Glibc
import Synchronization

/// Products of compilers and linkers, which are made once: the inner loop keeps them in
/// `.build/fixtures` for its next run, every other run in a folder that goes with it.
///
/// Like make, it compares the sizes and times of modification of a product's parts. These are the
/// files and headers that the arguments name, the package's headers, the tools and the C library.
/// Tests write the files in the tool's folder anew each time, so of those it compares the contents.
public final class KeptProducts: Sendable {
  private let store: URL
  private let entries = OncePerKey<String, Entry?>()
  /// The folders with a product that has their path: no two runs have the same there.
  private let uniqueFolders = Mutex<Set<URL>>([])

  /// Keeps its products in the folder, which is made.
  ///
  /// - Parameter days: Deletes what was not used for so long.
  public init(in store: URL, deletingUnusedFor days: Double? = nil) throws {
    self.store = store
    try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
    if let days { deleteUnused(for: days) }
  }

  /// Those of this run.
  static let ofThisRun: KeptProducts = {
    let folder = Places.package.appending(path: ".build/fixtures")
    do {
      return try isInnerLoop
        ? KeptProducts(in: folder, deletingUnusedFor: 7)
        : KeptProducts(in: TemporaryDirectory.keptUntilExit())
    } catch { fatalError("\(error)") }
  }()

  /// Runs a tool in a folder, or copies what it made of the same into the folder.
  ///
  /// A call whose product may depend on where the folder is, or whose products are not known, runs the
  /// tool.
  public func run(_ tool: String, _ arguments: [String], in folder: URL) throws -> ProcessResult {
    if !isIndependent(arguments) { uniqueFolders.withLock { _ = $0.insert(folder) } }
    guard let outputs = Self.outputs(of: arguments),
      !uniqueFolders.withLock({ $0.contains(folder) }),
      let contents = try Self.contents(of: folder)
    else { return try TestSupport.run(tool, arguments, currentDirectory: folder) }
    let words = [tool] + arguments
    var made: ProcessResult?
    let entry = try entry(named: words + contents, of: words + contents + inputs(tool, arguments)) {
      let result = try TestSupport.run(tool, arguments, currentDirectory: folder)
      made = result
      guard Self.isLasting(result) else { return nil }
      for (index, output) in outputs.enumerated() where result.succeeded {
        let file = folder.appending(path: output)
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        try FileManager.default.copyItem(at: file, to: $0.appending(path: "\(index)"))
      }
      return result
    }
    if let made { return made }
    guard let entry else {
      return try TestSupport.run(tool, arguments, currentDirectory: folder)
    }
    if entry.result.succeeded {
      for (index, output) in outputs.enumerated() {
        try copy(
          entry.url.appending(path: "\(index)"), to: folder.appending(path: output),
          mayRun: Self.mayRun(arguments))
      }
    }
    return entry.result
  }

  /// A file that `make` writes, and that depends on these words and on the files that they name.
  ///
  /// Its place depends on the words alone: a new one replaces that of older sources.
  func file(of words: [String], make: (URL) throws -> Void) throws -> URL {
    let entry = try entry(named: words, of: words + inputs(words[0], words)) {
      try make($0.appending(path: "0"))
      return ProcessResult(
        status: 0, wasSignalled: false, standardOutput: Data(), standardError: Data())
    }
    return entry!.url.appending(path: "0")
  }

  // MARK: - Entries

  /// A folder of the store with the products, numbered, what the tool printed, and the stamp: all that
  /// they were made of.
  private struct Entry: Sendable {
    var url: URL
    var result: ProcessResult

    static func stamp(in folder: URL) -> URL { folder.appending(path: "stamp") }

    init(url: URL, result: ProcessResult) { (self.url, self.result) = (url, result) }

    init?(at url: URL, of stamp: Data) {
      func data(_ name: String) -> Data? { try? Data(contentsOf: url.appending(path: name)) }
      guard data("stamp") == stamp, let output = data("output"), let errors = data("errors"),
        let status = data("status").flatMap({ Int32(String(decoding: $0, as: UTF8.self)) })
      else { return nil }
      self.url = url
      result = ProcessResult(
        status: status, wasSignalled: false, standardOutput: output, standardError: errors)
    }

    func write(_ stamp: Data, in folder: URL) throws {
      func write(_ data: Data, _ name: String) throws {
        try data.write(to: folder.appending(path: name))
      }
      try write(result.standardOutput, "output")
      try write(result.standardError, "errors")
      try write(Data("\(result.status)".utf8), "status")
      try write(stamp, "stamp")
    }
  }

  /// The entry; `make` writes its products into a new folder, and gives nil if they are not to be kept.
  private func entry(
    named words: [String], of parts: [String], make: (URL) throws -> ProcessResult?
  ) throws -> Entry? {
    let stamp = (parts + [Self.common]).joined(separator: "\n")
    return try entries.value(for: stamp) {
      let place = store.appending(path: Self.hash(of: words.joined(separator: "\0").utf8))
      let stamp = Data(stamp.utf8)
      return try withLock(of: place) {
        if let entry = Entry(at: place, of: stamp) {
          Self.markAsUsed(place)
          return entry
        }
        // A run may be killed: folders are replaced, not written into.
        let new = store.appending(path: "new-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: new, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: new) }
        guard let result = try make(new) else { return nil }
        let entry = Entry(url: place, result: result)
        try entry.write(stamp, in: new)
        try? FileManager.default.removeItem(at: place)
        try FileManager.default.moveItem(at: new, to: place)
        return entry
      }
    }
  }

  /// Keeps other processes from an entry: exit tests build the same library at the same time.
  private func withLock<Result>(of place: URL, _ body: () throws -> Result) throws -> Result {
    let path = "\(place.path)\(Self.lockSuffix)"
    let lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    defer { close(lock) }
    // A child that is forked meanwhile would keep it without the unlocking.
    defer { flock(lock, LOCK_UN) }
    while flock(lock, LOCK_EX) != 0 {
      guard errno == EINTR else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }
    return try body()
  }

  private static let lockSuffix = ".lock"

  private static let day = 24 * 60 * 60.0

  /// Deletes what no run has used for some days.
  private func deleteUnused(for days: Double) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: store.path)) ?? []
    for path in names.map({ "\(store.path)/\($0)" }) where Self.age(of: path) > days * Self.day {
      // Another process may wait for a lock's file.
      guard !path.hasSuffix(Self.lockSuffix) else { continue }
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  private static func markAsUsed(_ place: URL) {
    guard age(of: place.path) > day else { return }
    try? FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: place.path)
  }

  private static func age(of path: String) -> Double {
    var status = stat()
    guard stat(path, &status) == 0 else { return 0 }
    return Date().timeIntervalSince1970 - Double(status.st_mtim.tv_sec)
  }

  private func copy(_ file: URL, to copy: URL, mayRun: Bool) throws {
    guard mayRun else {
      try? FileManager.default.removeItem(at: copy)
      return try FileManager.default.copyItem(at: file, to: copy)
    }
    // Not by this process: a program cannot be run as long as somebody has it open for writing,
    // and that may be a child that was forked meanwhile.
    let result = try TestSupport.run("cp", ["--remove-destination", file.path, copy.path])
    guard result.succeeded else {
      throw CompilationFailure(command: "cp", output: result.errorOutput)
    }
  }

  // MARK: - Arguments

  /// The files that a call makes; nil if that is not known.
  private static func outputs(of arguments: [String]) -> [String]? {
    guard !arguments.contains(where: { $0.hasPrefix("-emit-module") || $0.hasPrefix("@") }) else {
      return nil
    }
    if let option = arguments.lastIndex(of: "-o"), option + 1 < arguments.count {
      let output = arguments[option + 1]
      if ["-", "/dev/null"].contains(output) { return [] }
      return output.hasPrefix("/") ? nil : [output]
    }
    if arguments.contains(where: { ["-fsyntax-only", "-typecheck"].contains($0) }) { return [] }
    guard arguments.contains("-c") else { return nil }
    return arguments.map { URL(filePath: $0) }
      .filter { ["c", "cc", "s", "swift"].contains($0.pathExtension) }
      .map { "\($0.deletingPathExtension().lastPathComponent).o" }
  }

  private static func mayRun(_ arguments: [String]) -> Bool {
    !["-c", "-shared", "-r", "-emit-library"].contains(where: arguments.contains)
  }

  /// True if the arguments name no folder of a test.
  private func isIndependent(_ arguments: [String]) -> Bool {
    !arguments.contains {
      $0.replacing(store.path, with: "").contains(TemporaryDirectory.prefix)
    }
  }

  /// True if the same call has the same result: it succeeded, or the compiler found a mistake in a
  /// source. Else memory may have been short, or the disk full.
  private static func isLasting(_ result: ProcessResult) -> Bool {
    result.succeeded
      || !result.wasSignalled && result.status == 1
        && result.errorOutput.split(separator: "\n").contains {
          $0.contains(#/^\S+\.(c|cc|swift):\d+:\d+: error: /#)
        }
  }

  // MARK: - Parts

  /// The tool, the files that the arguments name, also behind an option (`-Wl,--version-script=/…`),
  /// the headers beside sources, the headers and modules of the folders that are named, and libraries.
  private func inputs(_ tool: String, _ arguments: [String]) -> [String] {
    let paths = arguments.map { argument in
      // Of a macro's plug-in, its module follows: `/…#Module`.
      argument.firstIndex(of: "/").map { String(argument[$0...].prefix { $0 != "#" }) } ?? ""
    }
    var states = paths.compactMap { $0.isEmpty ? nil : Self.state(of: URL(filePath: $0)) }
    var isHeaders = false
    for (argument, path) in zip(arguments, paths) where argument != "-Xcc" {
      if argument.hasPrefix("-I/") || isHeaders && argument.hasPrefix("/") {
        states += headers(in: path)
      }
      isHeaders = argument == "-I"
      if argument.hasPrefix("/"), [".c", ".S"].contains(where: argument.hasSuffix) {
        states += headers(in: String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
      }
    }
    let folders = zip(arguments, arguments.dropFirst()).compactMap { option, folder in
      option == "-L" && folder.hasPrefix("/") ? folder : nil
    }
    for library in arguments where library.hasPrefix("-l") {
      let name = "lib\(library.dropFirst(2))"
      states += folders.flatMap { ["\($0)/\(name).so", "\($0)/\(name).a"] }
        .compactMap { Self.state(of: URL(filePath: $0)) }
    }
    return states + ((try? locate(tool)).flatMap(Self.state).map { [$0] } ?? [])
  }

  private let headersOfFolders = OncePerKey<String, [String]>()

  /// Of a folder that tests only read.
  private func headers(in folder: String) -> [String] {
    (try? headersOfFolders.value(for: folder) { Self.headers(in: folder) }) ?? []
  }

  private static func headers(in folder: String) -> [String] {
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
    return names.sorted()
      .filter { $0.hasSuffix(".h") || $0.hasSuffix(".modulemap") || $0.hasSuffix(".swiftmodule") }
      .compactMap { state(of: URL(filePath: "\(folder)/\($0)")) }
  }

  /// The names and contents of the files in a folder of a test; nil for another one, and for
  /// one with so much that building is as fast.
  private static func contents(of folder: URL) throws -> [String]? {
    guard folder.path.hasPrefix(TemporaryDirectory.prefix) else { return nil }
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    guard names.count <= 200 else { return nil }
    var total: Int = 0
    var contents: [String] = []
    for name in names.sorted() {
      let file = folder.appending(path: name)
      var status = stat()
      guard stat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      total += Int(status.st_size)
      guard total < 32 << 20 else { return nil }
      contents.append("\(name) \(status.st_size) \(hash(of: try Data(contentsOf: file)))")
    }
    return contents
  }

  /// The parts that every product depends on.
  private static let common: String = {
    let folders = [
      Places.fixtures, Places.core, Places.package.appending(path: "Sources/CRebindAnnotations"),
    ]
    let tools = [
      "gcc", "as", "ld", "ld.bfd", "ld.gold", "ld.lld", "ar", "clang", "swiftc", "musl-gcc",
    ].compactMap { try? locate($0) }
    let libraries = [
      "/usr/include/features.h", "/lib64/ld-linux-x86-64.so.2",
      "/usr/lib/x86_64-linux-musl/libc.so", swiftRuntime,
    ].map { URL(filePath: $0) }
    let states = (tools + libraries).compactMap { state(of: $0.resolvingSymlinksInPath()) }
    let parts = folders.flatMap { headers(in: $0.path) } + states
    return hash(of: parts.joined(separator: "\n").utf8)
  }()

  /// The runtime of this process, which tells the toolchains apart of which one command in PATH chooses.
  static var swiftRuntime: String {
    // Foundation reads files of /proc with one read, which may end before the library's line.
    let lines = (try? TestSupport.run("cat", ["/proc/\(getpid())/maps"]).output) ?? ""
    let line = lines.split(separator: "\n").first { $0.hasSuffix("/libswiftCore.so") }
    return line.map { String($0.drop { $0 != "/" }) } ?? ""
  }

  /// Path, size and time of modification; nil for a folder, and for no file.
  private static func state(of file: URL) -> String? {
    var status = stat()
    guard stat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let time = status.st_mtim
    return "\(file.path) \(status.st_size) \(time.tv_sec).\(time.tv_nsec)"
  }

  private static func hash(of text: String.UTF8View) -> String { hash(of: Data(text)) }

  /// FNV-1a with words of 8 bytes, twice, as contents are compared by it.
  private static func hash(of data: Data) -> String {
    var first: UInt64 = 0xcbf2_9ce4_8422_2325
    var second: UInt64 = 0x8422_2325_cbf2_9ce4
    func add(_ word: UInt64) {
      first = (first ^ word) &* 0x0000_0100_0000_01b3
      first ^= first >> 32
      second = (second ^ word) &* 0x9e37_79b9_7f4a_7c15
      second ^= second >> 29
    }
    data.withUnsafeBytes { bytes in
      var offset = 0
      while offset + 8 <= bytes.count {
        add(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        offset += 8
      }
      while offset < bytes.count {
        add(UInt64(bytes[offset]))
        offset += 1
      }
      add(UInt64(bytes.count))
    }
    return String(first, radix: 16) + String(second, radix: 16)
  }
}
