#if Commands

import ArgumentParser

/// The argument of the subcommands that look at a running process.
struct ProcessOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The running process to look at. It has to be one that you may trace.", valueName: "pid"),
    completion: .processNumber)
  var pid: Int32

  func validate() throws { try Self.validate(pid) }

  static func validate(_ pid: Int32) throws {
    if pid <= 0 { throw ValidationError("No process has the number \(pid).") }
  }
}

#endif
