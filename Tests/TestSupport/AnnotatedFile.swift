public import Foundation

/// Tests/Fixtures/file-annotations.c, or file-foreign.c for another machine, built.
public struct AnnotatedFile {
  public let directory: TemporaryDirectory
  public let url: URL
  public var path: String { url.path }

  /// Built for this machine.
  public init(_ mode: LinkMode, flags: [String] = []) throws {
    let builder = try FixtureBuilder(mode.compiler)
    directory = builder.directory
    url = try builder.build(
      "annotated", from: ["file-annotations.c"], flags: Self.includeFlags + mode.flags + flags,
      withCore: false)
  }

  /// Built for another machine, by the Swift toolchain's clang and lld.
  public init(target: String, linkerFlags: [String] = []) throws {
    let builder = try FixtureBuilder(.clang)
    directory = builder.directory
    url = builder.directory.url.appending(path: "libforeign.so")
    try builder.compile(
      ["--target=\(target)", "-ffreestanding", "-fPIC", "-O1", "-c"]
        + [Places.fixtures.appending(path: "file-foreign.c").path, "-o", "foreign.o"])
    let result = try run(
      "ld.lld", ["-shared"] + linkerFlags + ["foreign.o", "-o", url.path],
      currentDirectory: directory.url)
    guard result.succeeded else {
      throw CompilationFailure(command: "ld.lld", output: result.errorOutput)
    }
  }

  /// The object file that `init(_:)` links.
  public init(object compiler: Compiler) throws {
    let builder = try FixtureBuilder(compiler)
    directory = builder.directory
    url = builder.directory.url.appending(path: "annotated.o")
    try builder.compile(
      Self.includeFlags + ["-fPIC", "-c"]
        + [Places.fixtures.appending(path: "file-annotations.c").path, "-o", url.path])
  }

  public static let includeFlags = [
    "-I", Places.package.appending(path: "Sources/CRebindAnnotations/include").path,
  ]

  /// The machines that differ in class, byte order and relocations.
  public static let foreignTargets = [
    "x86_64-linux-gnu", "i386-linux-gnu", "powerpc-linux-gnu", "s390x-linux-gnu",
    "aarch64-linux-gnu", "powerpc64le-linux-gnu", "riscv64-linux-gnu", "arm-linux-gnueabihf",
  ]

  /// The bytes of the file.
  public func bytes() throws -> Data { try Data(contentsOf: url) }

  /// Writes a file beside it, and returns its path.
  public func write(_ bytes: Data, as name: String) throws -> String {
    let url = directory.url.appending(path: name)
    try bytes.write(to: url)
    return url.path
  }

  /// The same file without section headers; returns its path.
  public func stripped() throws -> String {
    try write(bytes().withoutSectionHeaders(), as: "stripped")
  }
}
