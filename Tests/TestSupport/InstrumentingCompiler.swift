import Foundation

/// A compiler, and what it instruments a program and the core with.
public struct InstrumentingCompiler: Sendable, Hashable, CustomStringConvertible {
  public var compiler: Compiler
  /// The names of `-fsanitize`; empty for none.
  public var sanitizers: String

  /// One that instruments nothing.
  public init(_ compiler: Compiler) {
    self.compiler = compiler
    sanitizers = ""
  }

  /// Nil if the text is none like `gcc`, or `clang+address,undefined`.
  init?(_ text: String) {
    guard let parts = text.wholeMatch(of: /(gcc|clang)(?:\+([a-z,]+))?/) else { return nil }
    compiler = Compiler(String(parts.1))
    sanitizers = String(parts.2 ?? "")
  }

  public var description: String {
    isInstrumenting ? "\(compiler)+\(sanitizers)" : compiler.name
  }

  public var isInstrumenting: Bool { !sanitizers.isEmpty }

  /// The options for whatever is instrumented.
  public var flags: [String] {
    isInstrumenting ? ["-fsanitize=\(sanitizers)", "-fno-sanitize-recover=all", "-O1"] : []
  }

  /// The options to link with, after all others.
  var linkFlags: [String] {
    compiler == .clang && sanitizers == "thread" ? Self.dispatchFlags : []
  }

  /// Of a program when it runs: the loader's own locks are unknown to ThreadSanitizer, so what it
  /// frees looks raced for.
  var environment: [String: String] {
    sanitizers == "thread" ? ["TSAN_OPTIONS": "ignore_noninstrumented_modules=1"] : [:]
  }

  /// The words that start an instrumented program. Its library has fixed places, where the kernel may
  /// have put something else if all addresses are random. None where that may not be chosen.
  public static let starter =
    (try? run("setarch", ["-R", "true"]).succeeded) == true ? ["setarch", "-R"] : []

  /// Why programs cannot be instrumented here: the compiler comes without the library, or what is
  /// linked with it does not start. Nil if they can.
  public func obstacle() throws -> String? {
    guard isInstrumenting else { return nil }
    return try Self.obstacles.value(for: self) {
      let builder = try FixtureBuilder(compiler)
      let probe = builder.directory.url.appending(path: "probe")
      try Data("int main(void) { return 0; }\n".utf8).write(to: probe.appendingPathExtension("c"))
      do {
        try builder.compile(flags + ["probe.c", "-o", "probe"] + linkFlags)
      } catch is CompilationFailure {
        return "\(compiler) has no library for -fsanitize=\(sanitizers)"
      }
      let words = ["--signal=KILL", "10"] + Self.starter + [probe.path]
      for _ in 0..<16 where try !run("timeout", words).succeeded {
        return "programs with -fsanitize=\(sanitizers) do not always run here"
      }
      return nil
    }
  }

  private static let obstacles = OncePerKey<InstrumentingCompiler, String?>()

  /// ThreadSanitizer in a Swift toolchain's clang asks for libdispatch, which is not where the linker
  /// looks.
  private static let dispatchFlags: [String] = {
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
}
