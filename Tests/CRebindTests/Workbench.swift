import Foundation
import TestSupport
import Testing

/// A folder of fixtures that share one build of the core.
struct Workbench {
  /// Ways to link a library that change when, and through which slots, it is bound.
  static let bindings = [["-Wl,-z,lazy"], ["-Wl,-z,now"], ["-fno-plt", "-O1"]]

  let builder: FixtureBuilder
  private let flags: [String]
  private let runtime: [String]

  /// Cancels the test where the compiler comes without the sanitizer's run-time
  /// library, or programs with it do not start.
  init(_ compiler: Compiler, sanitizer: Sanitizer = .none) throws {
    builder = try FixtureBuilder(compiler)
    flags = sanitizer.flags
    runtime = compiler == .clang && sanitizer == .thread ? Self.dispatchLibraries : []
    guard sanitizer != .none else { return }
    let probe = builder.directory.url.appending(path: "probe")
    try Data("int main(void) { return 0; }\n".utf8).write(to: probe.appendingPathExtension("c"))
    do {
      try builder.compile(flags + ["probe.c", "-o", "probe"] + runtime)
    } catch is CompilationFailure {
      try Test.cancel("\(compiler) has no library for \(sanitizer.testDescription)")
    }
    guard try run(probe.path).succeeded else {
      try Test.cancel("programs with \(sanitizer.testDescription) do not run here")
    }
  }

  /// ThreadSanitizer in a Swift toolchain's clang asks for libdispatch, which is not
  /// where the linker looks.
  private static let dispatchLibraries: [String] = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders = path.split(separator: ":").map {
      URL(filePath: "\($0)/clang").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "../lib/swift/linux").standardizedFileURL.path
    }
    guard
      let folder = folders.first(where: {
        FileManager.default.fileExists(atPath: "\($0)/libdispatch.so")
      })
    else { return [] }
    return ["-L\(folder)", "-lBlocksRuntime", "-ldispatch", "-Wl,-rpath,\(folder)"]
  }()

  func program(
    _ name: String, _ source: String, flags: [String] = [], needs: [String] = [],
    withCore: Bool = true
  ) throws -> String {
    let core = withCore ? [try CoreArchive.file(for: builder.compiler, flags: self.flags).path] : []
    return try builder.build(
      name, from: [source], flags: self.flags + flags,
      libraries: core + links(to: needs) + runtime, withCore: false
    ).path
  }

  /// Libraries are not instrumented: they stand for other people's.
  @discardableResult
  func library(
    _ name: String, _ source: String, flags: [String] = [], needs: [String] = [],
    withCore: Bool = false
  ) throws -> String {
    let core = withCore ? [try CoreArchive.file(for: builder.compiler).path] : []
    return try builder.build(
      name, from: [source], flags: ["-shared", "-fPIC"] + flags,
      libraries: core + links(to: needs), withCore: false
    ).path
  }

  /// Two plug-ins that call one function.
  func plugins(flags: [String] = []) throws -> [String] {
    try (1...2).map { try library("plugin\($0).so", "plugin.c", flags: flags) }
  }

  /// Two plug-ins of one layout.
  func replaceablePlugins(flags: [String]) throws -> [String] {
    [
      try library("first.so", "reload-plugin.c", flags: flags),
      try library("second.so", "reload-plugin.c", flags: ["-DOTHER"] + flags),
    ]
  }

  /// Runs a fixture; a deadlock is killed after a minute: SIGTERM is blocked in the threads of tests,
  /// and so in their children.
  func expect(
    _ program: String, _ arguments: [String] = [], output: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    // The loader's own locks are unknown to ThreadSanitizer, so what it frees looks raced for.
    let result = try run(
      "timeout", ["--signal=KILL", "60", program] + arguments,
      environment: ["TSAN_OPTIONS": "ignore_noninstrumented_modules=1"])
    #expect(result.errorOutput == "", sourceLocation: sourceLocation)
    #expect(result.output == output, sourceLocation: sourceLocation)
    #expect(result.succeeded, sourceLocation: sourceLocation)
  }

  private func links(to libraries: [String]) -> [String] {
    guard !libraries.isEmpty else { return [] }
    return libraries.map { "-l\($0)" } + ["-Wl,-rpath,\(builder.directory.url.path)"]
  }
}
