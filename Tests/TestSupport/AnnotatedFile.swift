public import Foundation

/// Tests/Fixtures/file-annotations.c, or file-foreign.c for another machine, built.
public struct AnnotatedFile {
  public let directory: TemporaryDirectory
  public let url: URL
  public var path: String { url.path }

  /// Built for this machine.
  public init(_ mode: LinkMode, flags: [String] = []) throws {
    try self.init(mode.compiler, "annotated", key: [mode.description] + flags) {
      try $0.build(
        "annotated", from: ["file-annotations.c"], flags: Self.includeFlags + mode.flags + flags,
        withCore: false)
    }
  }

  /// Built for another machine, by the Swift toolchain's clang and lld.
  public init(target: String, linkerFlags: [String] = []) throws {
    try self.init(.clang, "libforeign.so", key: [target] + linkerFlags) {
      let object = try $0.compile("file-foreign", for: target)
      try $0.link(["-shared"] + linkerFlags + [object, "-o", "libforeign.so"])
    }
  }

  /// The object file that `init(_:)` links.
  public init(object compiler: Compiler) throws {
    try self.init(compiler, "annotated.o", key: ["object"]) {
      try $0.compile(
        Self.includeFlags + ["-fPIC", "-c"]
          + [Places.fixture("file-annotations.c").path, "-o", "annotated.o"])
    }
  }

  private init(
    _ compiler: Compiler, _ name: String, key: [String], _ build: (FixtureBuilder) throws -> Void
  ) throws {
    directory = try FixtureBuilder.shared(compiler, key: ["annotated"] + key, build).directory
    url = directory.url.appending(path: name)
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
