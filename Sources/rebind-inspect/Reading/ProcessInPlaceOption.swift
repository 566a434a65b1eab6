#if Commands

import ArgumentParser

/// The process whose images are read in place of files.
struct ProcessInPlaceOption: ParsableArguments {
  @Option(
    help: "Read the images of a running process in place of files.", completion: .processNumber)
  var pid: Int32?

  /// Throws unless either a process or files are given.
  func validate(
    beside arguments: [InputPaths], _ list: FileListOptions, named name: String
  ) throws {
    guard let pid else { return try list.validate(beside: arguments, named: name) }
    guard arguments.isEmpty, list.filesFrom.isEmpty else {
      throw ValidationError("Give files or --pid, not both.")
    }
    try ProcessOption.validate(pid)
  }
}

#endif
