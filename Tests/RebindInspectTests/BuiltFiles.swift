import TestSupport

/// Files that are there on each machine that can run the tests.
enum InstalledFile: String, CaseIterable, Sendable {
  case libc, libswiftCore, clang

  var path: String {
    get throws {
      switch self {
      case .libc:
        // The one that this process runs on. Foundation reads of /proc what one read gives it: of
        // many mappings the first.
        let maps = try output("cat", "/proc/\(getpid())/maps")
        let line = maps.split(separator: "\n").first { $0.hasSuffix("/libc.so.6") }
        guard let path = line?.split(separator: " ").last else {
          throw SetupFailure(output: "no libc.so.6 in this process")
        }
        return String(path)
      case .libswiftCore: return try runtimeResources() + "/linux/libswiftCore.so"
      case .clang:
        return try output("clang", "-print-prog-name=clang")
      }
    }
  }

  /// The libraries that programs in Swift load.
  static func toolchainLibraries() throws -> [String] {
    let folder = URL(filePath: try InstalledFile.libswiftCore.path).deletingLastPathComponent()
    return try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".so") }.sorted().map { folder.appending(path: $0).path }
  }

  /// C++'s library, which belongs to the compiler, and has what others seldom have: unique symbols,
  /// versions by the dozen, and most slots.
  static func libstdcxx() throws -> String {
    try InstalledFile.libc.output("gcc", "-print-file-name=libstdc++.so.6")
  }

  /// Asked of the compiler, which need not be in the folder of its toolchain: swiftly puts
  /// a command of its own in PATH.
  private func runtimeResources() throws -> String {
    struct TargetInfo: Decodable {
      struct Paths: Decodable { var runtimeResourcePath: String }
      var paths: Paths
    }
    let information = try output("swift", "-print-target-info")
    return try JSONDecoder().decode(TargetInfo.self, from: Data(information.utf8))
      .paths.runtimeResourcePath
  }

  private func output(_ command: String...) throws -> String {
    let result = try run("env", command)
    guard result.succeeded else { throw SetupFailure(output: result.errorOutput) }
    return result.output.trimmingCharacters(in: .newlines)
  }
}

/// Tests/Fixtures/inspect-symbols.c, built for a target by the Swift toolchain's clang and lld.
struct BuiltFixture {
  let directory: TemporaryDirectory
  var path: String { directory.url.appending(path: "libsymbols.so").path }

  init(target: String = "x86_64-linux-gnu", hashStyle: String = "both") throws {
    let builder = try FixtureBuilder.shared(.clang, key: ["symbols", target, hashStyle]) {
      for (name, versions, libraries) in [
        ("provider", Self.providerVersions, []), ("symbols", Self.versions, ["libprovider.so"]),
      ] {
        let map = $0.directory.url.appending(path: "\(name).map")
        try Data(versions.utf8).write(to: map)
        let object = try $0.compile("inspect-\(name)", for: target)
        try $0.link(
          [
            "-shared", "--hash-style=\(hashStyle)", "--version-script=\(name).map", "-soname",
            "lib\(name).so", object, "-o", "lib\(name).so",
          ] + libraries)
      }
    }
    directory = builder.directory
  }

  /// The bytes of the built file.
  func bytes() throws -> Data { try Data(contentsOf: URL(filePath: path)) }

  /// Where a section starts, by the type that readelf prints for it.
  func offset(ofSection type: String) throws -> Int {
    let lines = try run("readelf", ["-SW", path]).output.split(separator: "\n")
    // [Nr] Name Type Address Off
    let fields = lines.first { $0.contains(" \(type) ") }?.split(separator: " ") ?? []
    guard let place = fields.firstIndex(of: Substring(type)), place + 2 < fields.count,
      let offset = Int(fields[place + 2], radix: 16)
    else { throw SetupFailure(output: "no section \(type)") }
    return offset
  }

  /// Writes a file beside the built one, and returns its path.
  func write(_ bytes: Data, as name: String) throws -> String {
    let url = directory.url.appending(path: name)
    try bytes.write(to: url)
    return url.path
  }

  private static let providerVersions = """
    PROVIDER_1 { global: provided_function; provided_data; local: *; };
    PROVIDER_2 { global: provided_later; } PROVIDER_1;
    """
  private static let versions = """
    INSPECT_1 { global: object; thread_object; weak_function; protected_function; local: versioned_*; };
    INSPECT_2 { global: caller; _ZN3foo3barEi; "$s4main3fooyyF"; } INSPECT_1;
    """
}

/// A program or file that the tests need could not be built or found.
struct SetupFailure: Error, CustomStringConvertible {
  var output: String
  var description: String { output }
}
