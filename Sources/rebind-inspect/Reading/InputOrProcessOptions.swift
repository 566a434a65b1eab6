#if Commands

import ArgumentParser
import RebindFiles

/// The arguments of the subcommands that read files, or the images of a process.
struct InputOrProcessOptions: ParsableArguments {
  @Argument(help: ArgumentHelp("The ELF files to read.", valueName: "file"))
  var arguments: [InputPaths] = []

  @Option(
    help: "Read the images of a running process in place of files.", completion: .processNumber)
  var pid: Int32?

  @OptionGroup var output: OutputOptions

  var files: [FilePath] { arguments.flatMap(\.paths) }

  func validate() throws {
    guard arguments.isEmpty != (pid == nil) else {
      throw ValidationError(
        pid == nil ? "Missing expected argument '<file> ...'" : "Give files or --pid, not both.")
    }
    if let pid { try ProcessOption.validate(pid) }
  }
}

#endif
