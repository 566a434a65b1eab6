import TestSupport

/// Runs `rebind-run count`, with the preloaded library beside it.
func count(
  _ options: [String], _ program: [String], environment: [String: String] = [:]
) throws -> ProcessResult {
  try run(command.get(), ["count"] + options + ["--"] + program, environment: environment)
}

/// The command. Scripts/run-library puts the library beside it, if a source of the library is newer.
let command = Result {
  let sources = "Sources/CRebind Sources/CRebindStubs Sources/CRebindRun Scripts/run-library"
  let isNew = "[ -e \"$0\" ] && [ -z \"$(find \(sources) -newer \"$0\")\" ]"
  if try !run("sh", ["-c", isNew, preloadedLibrary], currentDirectory: Places.package).succeeded {
    let result = try run(
      Places.package.appending(path: "Scripts/run-library").path, [preloadedLibrary],
      environment: ["CC": "gcc", "CFLAGS": "-Wall -Wextra -Werror"])
    try #require(result.succeeded, "\(result.errorOutput)")
  }
  return Places.products.appending(path: "rebind-run").path
}

let preloadedLibrary = Places.products.appending(path: "librebind-run.so").path

/// The output of `--format json`.
struct CountedCalls: Decodable {
  struct Line: Decodable {
    var calls: Int
    var function, readable, version, library, image: String?
  }

  var program: [String]
  var total, processes: Int
  var notes: [String]
  var lines: [Line]

  init(_ result: ProcessResult) throws {
    self = try JSONDecoder().decode(Self.self, from: result.standardError)
  }

  /// The calls of a function, from all images.
  func calls(of function: String) -> Int {
    lines.filter { $0.function == function }.reduce(0) { $0 + $1.calls }
  }
}
