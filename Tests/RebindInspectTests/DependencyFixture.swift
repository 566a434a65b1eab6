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

  func delete(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }

  func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: target)
  }

  /// A library for another machine, built by the toolchain's clang and lld.
  @discardableResult
  func foreign(
    _ name: String, target: String, source: String = "int value;", flags: [String] = []
  ) throws -> String {
    let object = try write("foreign.c", Data(source.utf8))
    try succeed(
      "clang", ["--target=\(target)", "-ffreestanding", "-fPIC", "-c", object, "-o", "foreign.o"])
    try write(name, Data())
    try succeed("ld.lld", ["-o", name, "foreign.o"] + flags)
    return path(name)
  }

  func succeed(_ tool: String, _ arguments: [String]) throws {
    let result = try run(tool, arguments, currentDirectory: directory.url)
    guard result.succeeded else { throw SetupFailure(output: result.errorOutput) }
  }

  private func build(
    _ name: String, _ source: String, _ needs: [String], _ flags: [String]
  ) throws -> String {
    try write(name, Data())
    let file = try write("source.c", Data("\(source)\n".utf8))
    try succeed(
      "gcc",
      [file, "-o", name, "-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined"] + flags + needs)
    return path(name)
  }
}

/// What the loader itself says that it would load, in its order: the independent witness.
func loaderTrace(
  _ file: String, environment: [String: String] = [:]
) throws -> [LoadedLibrary] {
  let result = try run(
    file, environment: environment.merging(["LD_TRACE_LOADED_OBJECTS": "1"]) { $1 })
  return result.output.split(separator: "\n").compactMap { line in
    // `libc.so.6 => /lib/libc.so.6 (0x…)`, `/lib64/ld.so (0x…)`, or `libfoo.so => not found`.
    let words = line.split { $0 == " " || $0 == "\t" }.map(String.init)
    if words.count > 2, words[1] == "=>" {
      return LoadedLibrary(name: words[0], path: words[2] == "not" ? nil : words[2])
    }
    return words[0].hasPrefix("/")
      ? LoadedLibrary(name: FilePathText.last(words[0]), path: words[0]) : nil
  }
}

struct LoadedLibrary: Equatable {
  var name: String
  var path: String?
}

enum FilePathText {
  static func last(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }
}

/// What `tree --format json` prints of a file.
struct Tree: Decodable {
  var loader: String
  var interpreter: String?
  var isComplete: Bool
  var scope: [Image]
  var missing: [Missing]

  struct Image: Decodable {
    struct Need: Decodable, Equatable {
      var name: String
      var index: Int?
    }
    struct Version: Decodable, Equatable {
      var library: String
      var version: String
      var isWeak: Bool
      var status: String
    }
    var index: Int
    var name: String
    var path: String
    var soname: String?
    var reason: String?
    var reasonOf: Int?
    var reasonEntry: String?
    var loadedBy: Int?
    var isPreloaded: Bool
    var needed: [Need]
    var neededVersions: [Version]
  }

  struct Missing: Decodable {
    struct Rejected: Decodable, Equatable {
      var path: String
      var message: String
    }
    var name: String
    var neededBy: Int
    var isPreload: Bool
    var searched: [String]
    var rejected: [Rejected]
  }

  init(_ arguments: [String], environment: [String: String] = [:]) throws {
    struct Document: Decodable { var files: [Tree] }
    let result = try inspect(["tree", "--format", "json"] + arguments, environment: environment)
    guard
      let tree = try JSONDecoder().decode(Document.self, from: result.standardOutput).files.first
    else { throw SetupFailure(output: result.errorOutput) }
    self = tree
  }

  func image(_ name: String) -> Image? { scope.first { $0.name == name } }

  /// In the words of the witness, which has what is missing where it was looked for.
  var libraries: [LoadedLibrary] {
    scope.dropFirst().map { LoadedLibrary(name: FilePathText.last($0.name), path: $0.path) }
  }
}
