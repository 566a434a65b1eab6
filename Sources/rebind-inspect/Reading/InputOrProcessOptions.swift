#if Commands

import ArgumentParser
import ELFInspection
import RebindFiles

/// The arguments of the subcommands that read files, or the images of a process.
struct InputOrProcessOptions: ParsableArguments {
  @Argument(help: ArgumentHelp("The ELF files to read.", valueName: "file"))
  var arguments: [InputPaths] = []

  @OptionGroup var list: FileListOptions

  @OptionGroup var process: ProcessInPlaceOption

  @OptionGroup var output: OutputOptions

  var pid: Int32? { process.pid }

  func validate() throws { try process.validate(beside: arguments, list, named: "file") }

  /// The lines of a manual's usage for these.
  static let usage = ["[<options>] <file> ...", "[<options>] --pid <pid>"]

  /// The files that are named, in their order.
  func files() throws -> [FilePath] { try list.files(behind: arguments) }

  /// The formatter for files, or for the images of a process.
  ///
  /// - Parameter presences: When columns of a table are there beside those that always are.
  func formatter(
    _ row: Record, _ presences: [Presence] = [], of files: [FilePath]
  ) -> any ReportFormatter {
    output.formatter(
      RowShape(row, [.always] + presences + (pid == nil ? [] : [.ofProcess])),
      hasHeadings: pid != nil || files.count > 1)
  }

  /// Reads each file, or each image of the process, and writes what is found in it.
  ///
  /// Throws the exit status 1 if one failed.
  func report<Body: ReportBody>(
    _ presences: [Presence] = [],
    _ body: @escaping @Sendable (ELFFile) throws(ELFFileError) -> Body,
    images: (LoadedImage, ProcessScope) throws(ELFFileError) -> Body
  ) throws {
    let files = try files()
    var writer = ReportWriter(formatter(Body.row, presences, of: files))
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
  func validate(
    beside arguments: [InputPaths], _ list: FileListOptions, named name: String
  ) throws {
    guard let pid else { return try list.validate(beside: arguments, named: name) }
    guard arguments.isEmpty, list.filesFrom == nil else {
      throw ValidationError("Give files or --pid, not both.")
    }
    try ProcessOption.validate(pid)
  }
}

#endif
