import Foundation

/// Lets swiftc expand the macros of RebindMacros, which a test target has to depend on.
public let macroFlags =
  !PackageTraits.hasMacros
  ? []
  : [
    "-load-plugin-executable",
    Places.products.appending(path: "RebindMacrosPlugin-tool").path + "#RebindMacrosPlugin",
  ]

/// Compiles a main file against the modules that were built beside the tests, far
/// enough for every diagnostic.
///
/// - Parameter flags: Further ones; with any, the intermediate language (SIL) is printed.
public func compileSwift(_ source: String, languageMode: Int = 6, flags: [String] = []) throws
  -> ProcessResult
{
  let scratch = try TemporaryDirectory()
  let file = scratch.url.appending(path: "main.swift")
  try Data("\(source)\n".utf8).write(to: file)
  let headers = ["CRebind/include", "CRebindTesting/include", "CLibelf"].map {
    Places.package.appending(path: "Sources/\($0)").path
  }
  return try run(
    "swiftc",
    [
      "-emit-sil", "-o", flags.isEmpty ? "/dev/null" : "-", "-swift-version", "\(languageMode)",
      "-I", Places.products.appending(path: "Modules").path,
    ] + macroFlags + flags + headers.flatMap { ["-Xcc", "-I", "-Xcc", $0] } + [file.path])
}
