import Foundation

/// A program in Swift, and in C, that uses Rebind as it was built beside the tests.
public struct RebindProgram {
  private let folder: TemporaryDirectory
  /// Where it is.
  public var path: String { folder.url.appending(path: "app").path }

  /// Compiles and links it.
  ///
  /// - Parameters:
  ///   - swift: Its main file.
  ///   - c: A source in C, whose functions `header` declares for the main file.
  ///   - library: A source in C for `libprices.so`, which the program is linked with.
  ///   - modules: The modules that it is linked with.
  ///   - flags: Further options of swiftc.
  public init(
    _ swift: String, c: String = "", header: String = "", library: String? = nil,
    modules: [String] = ["Rebind", "ELFVocabulary", "CRebind"], flags: [String] = []
  ) throws {
    folder = try TemporaryDirectory()
    let files = [
      "main.swift": swift, "own.c": c, "own.h": header, "library.c": library ?? "",
    ]
    for (name, text) in files {
      try Data("\(text)\n".utf8).write(to: folder.url.appending(path: name))
    }
    let gcc = Compiler.gcc
    try compile(gcc, ["-O1", "-g", "-c", "own.c"], in: folder.url)
    var libraries: [String] = []
    if library != nil {
      try compile(
        gcc,
        ["-O1", "-shared", "-fPIC", "library.c", "-Wl,-soname,libprices.so", "-o"]
          + ["libprices.so"], in: folder.url)
      libraries = ["-L.", "-lprices", "-Xlinker", "-rpath=$ORIGIN"]
    }
    try compile(
      Compiler("swiftc"),
      [
        "-swift-version", "6", "-import-objc-header", "own.h",
        "-I", Places.products.appending(path: "Modules").path,
        "-Xcc", "-I", "-Xcc", Places.core.appending(path: "include").path,
        "main.swift", "own.o", "-o", "app",
      ]
        + ["CRebindCounting", "CRebindReach", "CRebindStubs", "CRebindTesting"].flatMap {
          ["-Xcc", "-I", "-Xcc", Places.package.appending(path: "Sources/\($0)/include").path]
        }
        + (try modules.flatMap(Self.objects)) + libraries + flags,
      in: folder.url)
  }

  /// Runs it.
  ///
  /// - Parameter command: Words to stand before it.
  public func run(under command: [String] = []) throws -> ProcessResult {
    let words = command + [path]
    return try TestSupport.run(words[0], Array(words.dropFirst()))
  }

  /// The object files of a module: the build's folder has those of former sources, too.
  private static func objects(_ module: String) throws -> [String] {
    let sources = Places.package.appending(path: "Sources/\(module)")
    let built = Places.products.appending(path: "\(module).build")
    return try FileManager.default.subpathsOfDirectory(atPath: sources.path).compactMap { source in
      if source.hasSuffix(".c") || source.hasSuffix(".S") {
        return built.appending(path: "\(source).o").path
      }
      guard source.hasSuffix(".swift") else { return nil }
      let name = source.split(separator: "/").last ?? ""
      return built.appending(path: "\(name).o").path
    }
  }
}
