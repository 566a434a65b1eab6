import Foundation
import TestSupport

/// Compiles a main file against the modules that were built beside the tests, far
/// enough for every diagnostic.
func compileSwift(_ source: String, languageMode: Int = 6) throws -> ProcessResult {
  let scratch = try TemporaryDirectory()
  let file = scratch.url.appending(path: "main.swift")
  try Data("\(source)\n".utf8).write(to: file)
  let headers = ["CRebind", "CRebindTesting"].map {
    Places.package.appending(path: "Sources/\($0)/include").path
  }
  return try run(
    "swiftc",
    [
      "-emit-sil", "-o", "/dev/null", "-swift-version", "\(languageMode)",
      "-I", Places.products.appending(path: "Modules").path,
    ] + headers.flatMap { ["-Xcc", "-I", "-Xcc", $0] } + [file.path])
}
