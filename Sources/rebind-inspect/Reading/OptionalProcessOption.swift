#if Commands

import ArgumentParser

/// The argument of the subcommands that look at files, or at a running process too.
struct OptionalProcessOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The running process to look at. It has to be one that you may trace.", valueName: "pid"),
    completion: .processNumber)
  var pid: Int32?

  func validate() throws {
    if let pid { try ProcessOption.validate(pid) }
  }
}

#endif
