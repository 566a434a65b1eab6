public import Foundation

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
  try Data("\(source)\n".utf8).write(to: scratch.url.appending(path: "main.swift"))
  return try run(
    "swiftc",
    [
      "-emit-sil", "-o", flags.isEmpty ? "/dev/null" : "-", "-swift-version", "\(languageMode)",
    ] + moduleFlags + macroFlags + flags + ["main.swift"], currentDirectory: scratch.url)
}

/// Builds a main file with Rebind's dynamic library, and runs it.
public func runSwift(_ source: String) throws -> ProcessResult {
  let scratch = try TemporaryDirectory()
  let built = try buildSwift(source, to: "program", in: scratch.url)
  return built.succeeded ? try run(scratch.url.appending(path: "program").path) : built
}

/// Builds a main file, in a folder with these object files, with Rebind's dynamic library.
public func buildSwift(
  _ source: String, to program: String, objects: [String] = [], in folder: URL
) throws -> ProcessResult {
  try Data("\(source)\n".utf8).write(to: folder.appending(path: "main.swift"))
  return try run(
    "swiftc",
    ["-swift-version", "6", "-o", program, "main.swift"] + objects
      + ["-L", Places.products.path, "-lRebindDynamic"]
      + ["-Xlinker", "-rpath", "-Xlinker", Places.products.path] + moduleFlags,
    currentDirectory: folder)
}

/// Compiles the files of a library, in a folder, against the same modules, without warnings.
public func typecheckSwift(_ files: [String], in folder: URL) throws -> ProcessResult {
  try run(
    "swiftc",
    ["-typecheck", "-parse-as-library", "-suppress-warnings", "-swift-version", "6"]
      + moduleFlags + macroFlags + files, currentDirectory: folder)
}

/// Where the modules are that were built beside the tests, and the headers that they need.
private let moduleFlags =
  ["-I", Places.products.appending(path: "Modules").path]
  + [
    "CRebind/include", "CRebindCounting/include", "CRebindReach/include",
    "CRebindStubs/include", "CRebindTesting/include", "CLibelf/include",
  ].flatMap {
    ["-Xcc", "-I", "-Xcc", Places.package.appending(path: "Sources/\($0)").path]
  }
