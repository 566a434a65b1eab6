import Foundation
import Glibc

/// Libraries and programs in C that the inner loop keeps in `.build/fixtures` for its next run; every
/// other run builds its own, in a folder that goes with it.
///
/// Like make, it compares the sizes and times of modification of a product's parts: the files that
/// the arguments name, the package's headers, the compiler and the C library.
enum KeptProducts {
  /// The product of `arguments`, which `make` builds at the URL that it gets.
  ///
  /// The arguments alone decide where a product is kept: a new one replaces that of older sources.
  static func file(
    of compiler: Compiler, _ arguments: [String], make: (URL) throws -> Void
  ) throws -> URL {
    guard isInnerLoop else {
      let product = try TemporaryDirectory.keptUntilExit().appending(path: "product")
      try make(product)
      return product
    }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let words = [compiler.name] + arguments
    let product = folder.appending(path: name(of: words))
    let stamp = product.appendingPathExtension("stamp")
    let expected = Data((words + inputs(of: arguments) + common).joined(separator: "\n").utf8)
    if (try? Data(contentsOf: stamp)) == expected { return product }
    // Another run may be at it: files are replaced, not written over.
    let scratch = try TemporaryDirectory()
    let new = scratch.url.appending(path: "product")
    try make(new)
    try? FileManager.default.removeItem(at: stamp)
    try rename(new, to: product)
    try expected.write(to: stamp, options: .atomic)
    return product
  }

  private static let folder = Places.package.appending(path: ".build/fixtures")

  /// FNV-1a of the words. Two lists with one name only replace each other's product.
  private static func name(of words: [String]) -> String {
    let hash = words.joined(separator: "\0").utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3
    }
    return String(hash, radix: 16)
  }

  /// The files that the arguments name, also behind an option: `-Wl,--version-script=/…`.
  private static func inputs(of arguments: [String]) -> [String] {
    arguments.compactMap { argument in
      argument.firstIndex(of: "/").flatMap { state(of: URL(filePath: String(argument[$0...]))) }
    }
  }

  /// The parts that every product depends on.
  private static let common: [String] = {
    let folders = [
      Places.fixtures, Places.core, Places.package.appending(path: "Sources/CRebindAnnotations"),
    ]
    let headers = folders.flatMap { folder in
      let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
      return (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "h" }
    }
    let tools = ["gcc", "ld", "ar"].compactMap { try? locate($0).resolvingSymlinksInPath() }
    let libc = ["/usr/include/features.h", "/lib64/ld-linux-x86-64.so.2"].map {
      URL(filePath: $0).resolvingSymlinksInPath()
    }
    return (headers + tools + libc).compactMap(state).sorted()
  }()

  /// Path, size and time of modification; nil for a folder, and for no file.
  private static func state(of file: URL) -> String? {
    var status = stat()
    guard stat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let time = status.st_mtim
    return "\(file.path) \(status.st_size) \(time.tv_sec).\(time.tv_nsec)"
  }

  /// Moves a file, also to another file system.
  private static func rename(_ file: URL, to product: URL) throws {
    let beside = product.appendingPathExtension("\(ProcessInfo.processInfo.processIdentifier)")
    try? FileManager.default.removeItem(at: beside)
    try FileManager.default.moveItem(at: file, to: beside)
    guard Glibc.rename(beside.path, product.path) == 0 else {
      throw CocoaError(.fileWriteUnknown)
    }
  }
}
