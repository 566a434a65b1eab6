#if Commands

import ArgumentParser
import ELFInspection
import RebindFiles

/// The arguments of the subcommands that read files, or the images of a process.
struct InputOrProcessOptions: ParsableArguments {
  @Argument(help: ArgumentHelp("The ELF files to read.", valueName: "file"))
  var arguments: [InputPaths] = []

  @OptionGroup var process: ProcessInPlaceOption

  @OptionGroup var output: OutputOptions

  var pid: Int32? { process.pid }

  var files: [FilePath] { arguments.flatMap(\.paths) }

  /// The lines of a manual's usage for these.
  static let usage = ["[<options>] <file> ...", "[<options>] --pid <pid>"]

  func validate() throws { try process.validate(beside: arguments, named: "file") }

  /// Reads each file, or each image of the process, and writes what is found in it.
  ///
  /// Throws the exit status 1 if one failed.
  func report<Body: ReportBody>(
    _ body: @escaping @Sendable (ELFFile) throws(ELFFileError) -> Body,
    images: (LoadedImage, ProcessScope) throws(ELFFileError) -> Body
  ) throws {
    var writer = ReportWriter(output.formatter(hasHeadings: pid != nil || files.count > 1))
    if let pid {
      writer.readImages(of: pid) { image, scope throws(ELFFileError) -> Body? in
        try images(image, scope)
      }
    } else {
      writer.read(files, body)
    }
    try writer.finish()
  }
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
