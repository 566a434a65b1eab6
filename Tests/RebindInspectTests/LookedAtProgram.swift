import Foundation
import TestSupport

/// Tests/Fixtures/inspect-process.c with the core: a program that does what its argument says, to be
/// looked at.
struct LookedAtProgram {
  private let builder: FixtureBuilder
  let url: URL

  init(flags: [String] = ["-Wl,-z,lazy", "-Wl,-z,relro"]) throws {
    builder = try FixtureBuilder(.gcc)
    // The name that the kernel has for it.
    url = try builder.build("program", from: ["inspect-process.c"], flags: flags)
      .resolvingSymlinksInPath()
  }

  /// A library that defines getppid too.
  func hook() throws -> URL {
    try builder.buildLibrary("libhook.so", from: "inspect-hook.c").resolvingSymlinksInPath()
  }

  func started(_ what: String = "nothing", preloading hook: URL? = nil) throws -> WaitingProcess {
    let process = try WaitingProcess(
      url, [what], environment: hook.map { ["LD_PRELOAD": $0.path] } ?? [:])
    process.directory = builder.directory
    return process
  }
}

/// What a subcommand prints of a process as JSON, and its exit status.
func report(
  _ subcommand: String, _ process: WaitingProcess, _ arguments: [String] = []
) throws -> (files: [File], status: Int32) {
  let result = try inspect(
    [subcommand, "--format", "json", "--pid", "\(process.id)"] + arguments)
  let report = try JSONDecoder().decode(Report.self, from: result.standardOutput)
  return (report.files, result.status)
}
