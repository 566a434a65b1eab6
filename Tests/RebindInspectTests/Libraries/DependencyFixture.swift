import Foundation
import TestSupport

/// Programs and libraries that need each other, built in a folder by gcc.
struct DependencyFixture {
  let directory = try! TemporaryDirectory()

  func path(_ name: String) -> String { directory.url.appending(path: name).path }

  /// Builds a library from a line of C; its folder is made.
  ///
  /// - Parameter needs: Libraries of the fixture, by their paths.
  @discardableResult
  func library(
    _ name: String, _ source: String = "", needs: [String] = [], soname: String? = nil,
    flags: [String] = []
  ) throws -> String {
    let soname = soname ?? String(name.split(separator: "/").last ?? "")
    return try build(
      name, source, needs, ["-shared", "-fPIC", "-nostdlib", "-Wl,-soname,\(soname)"] + flags)
  }

  @discardableResult
  func program(_ name: String, _ source: String = "", needs: [String] = [], flags: [String] = [])
    throws -> String
  {
    try build(name, source + "\nint main(void) { return 0; }", needs, flags)
  }

  /// Writes a file; its folder is made.
  @discardableResult
  func write(_ name: String, _ contents: Data) throws -> String {
    let url = directory.url.appending(path: name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try contents.write(to: url)
    return url.path
  }

  /// A file that says it is a core file.
  func core(_ name: String, of path: String) throws -> String {
    var bytes = try Data(contentsOf: URL(filePath: path))
    // e_type is at 16, and ET_CORE is 4, in the byte order of this machine.
    withUnsafeBytes(of: UInt16(4)) { bytes.replaceSubrange(16..<18, with: $0) }
    return try write(name, bytes)
  }

  func delete(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }

  func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: target)
  }

  /// A library for another machine, built by the toolchain's clang and lld.
  @discardableResult
  func foreign(
    _ name: String, target: String, source: String = "int value;", compilerFlags: [String] = [],
    flags: [String] = []
  ) throws -> String {
    let object = try Self.object(
      "clang", ["--target=\(target)", "-ffreestanding", "-fPIC"] + compilerFlags, source)
    try write(name, Data())
    try compile("ld.lld", ["-o", name, object] + flags)
    return path(name)
  }

  /// Runs a compiler, or another tool, in the folder.
  func compile(_ tool: String, _ arguments: [String]) throws {
    try TestSupport.compile(Compiler(tool), arguments, in: directory.url)
  }

  private func build(
    _ name: String, _ source: String, _ needs: [String], _ flags: [String]
  ) throws -> String {
    try write(name, Data())
    let object = try Self.object("gcc", flags.filter { !$0.hasPrefix("-Wl,") }, source)
    try compile(
      "gcc",
      [object, "-o", name, "-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined"] + flags + needs)
    return path(name)
  }

  private static let objects = OncePerKey<[String], String>()

  /// An object file, which a run compiles once: most libraries have the source of another one.
  private static func object(_ tool: String, _ flags: [String], _ source: String) throws -> String {
    try objects.value(for: [tool] + flags + [source]) {
      let folder = try TemporaryDirectory.keptUntilExit()
      try Data("\(source)\n".utf8).write(to: folder.appending(path: "source.c"))
      try TestSupport.compile(Compiler(tool), flags + ["-c", "source.c"], in: folder)
      return folder.appending(path: "source.o").path
    }
  }
}
