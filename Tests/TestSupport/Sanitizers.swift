import Foundation

/// The needs of programs with a sanitizer, to run here.
public enum Sanitizers {
  /// The words that start an instrumented program. Its library has fixed places, where the kernel may have put
  /// something else if all addresses are random. None where that may not be chosen.
  public static let starter =
    (try? run("setarch", ["-R", "true"]).succeeded) == true ? ["setarch", "-R"] : []

  /// The loader's own locks are unknown to ThreadSanitizer, so what it frees looks raced for.
  static func environment(of compiler: String) -> [String: String] {
    compiler.hasSuffix("+thread") ? ["TSAN_OPTIONS": "ignore_noninstrumented_modules=1"] : [:]
  }

  /// Why programs of a compiler cannot be instrumented here: it comes without the library, or what is linked with it
  /// does not start. Nil if they can.
  public static func obstacle(of compiler: String) throws -> String? {
    guard compiler.contains("+") else { return nil }
    return try obstacles.value(for: compiler) {
      let probe = try Fixture.probe(by: compiler)
      guard FileManager.default.fileExists(atPath: probe) else {
        return "\(compiler) has no library for that"
      }
      let words = starter + [probe]
      for _ in 0..<16 where try !run(words[0], Array(words.dropFirst())).succeeded {
        return "programs of \(compiler) do not always run here"
      }
      return nil
    }
  }

  private static let obstacles = OncePerKey<String, String?>()
}
