import TestSupport

/// Tests/Fixtures/inspect-process.c with the core: a program that does what its argument says, to be
/// looked at.
struct LookedAtProgram {
  private let directory: TemporaryDirectory
  let url: URL

  init(flags: [String] = ["-Wl,-z,lazy", "-Wl,-z,relro"]) throws {
    directory = try FixtureBuilder.shared(.gcc, key: ["process"] + flags) {
      try $0.build("program", from: ["inspect-process.c"], flags: flags)
    }.directory
    // The name that the kernel has for it.
    url = directory.url.appending(path: "program").resolvingSymlinksInPath()
  }

  /// A library that defines getppid too.
  func hook() throws -> URL {
    let hook = try FixtureBuilder.shared(.gcc, key: ["hook"]) {
      try $0.buildLibrary("libhook.so", from: "inspect-hook.c")
    }.directory
    let url = directory.url.appending(path: "libhook.so")
    try FileManager.default.linkItem(at: hook.url.appending(path: "libhook.so"), to: url)
    return url.resolvingSymlinksInPath()
  }

  /// Tests/Fixtures/inspect-loading.c, which loads a library.
  static func loading(_ how: String, library: String = "libhook.so") throws -> WaitingProcess {
    let directory = try FixtureBuilder.shared(.gcc, key: ["loading"]) {
      try $0.buildLibrary("libhook.so", from: "inspect-hook.c")
      try $0.buildLibrary("libslow.so", from: "inspect-slow.c")
      try $0.buildLibrary("libfar.so", from: "inspect-far-note.c")
      try $0.build("loading", from: ["inspect-loading.c"])
    }.directory
    let folder = directory.url.resolvingSymlinksInPath()
    let process = try WaitingProcess(
      folder.appending(path: "loading"), [how, folder.appending(path: library).path])
    process.directory = directory
    return process
  }

  func started(_ what: String = "nothing", preloading hook: URL? = nil) throws -> WaitingProcess {
    let process = try WaitingProcess(
      url, [what], environment: hook.map { ["LD_PRELOAD": $0.path] } ?? [:])
    process.directory = directory
    return process
  }
}

/// The output of a subcommand for a process as JSON, and its exit status.
func report(
  _ subcommand: String, _ process: WaitingProcess, _ arguments: [String] = []
) throws -> (files: [File], status: Int32) {
  let result = try inspect(
    [subcommand, "--format", "json", "--pid", "\(process.id)"] + arguments)
  return (try result.report().files, result.status)
}
