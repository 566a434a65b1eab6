#if Commands

import ArgumentParser
import RebindFiles

/// The arguments of the subcommands that read files, or the images of a process.
struct InputOrProcessOptions: ParsableArguments {
  @Argument(help: ArgumentHelp("The ELF files to read.", valueName: "file"))
  var arguments: [InputPaths] = []

  @OptionGroup var process: ProcessInPlaceOption

  @OptionGroup var output: OutputOptions

  var pid: Int32? { process.pid }

  var files: [FilePath] { arguments.flatMap(\.paths) }

  func validate() throws { try process.validate(beside: arguments, named: "file") }
}

/// The process whose images are read in place of files.
struct ProcessInPlaceOption: ParsableArguments {
  @Option(
    help: "Read the images of a running process in place of files.", completion: .processNumber)
  var pid: Int32?

  /// Throws unless the process is given or files are.
  func validate(beside arguments: [InputPaths], named name: String) throws {
    guard arguments.isEmpty != (pid == nil) else {
      throw ValidationError(
        pid == nil ? "Missing expected argument '<\(name)> ...'" : "Give files or --pid, not both.")
    }
    if let pid { try ProcessOption.validate(pid) }
  }
}

#endif
