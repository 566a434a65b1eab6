import ArgumentParser
import RebindFiles

/// The arguments of the subcommands that read files and nothing else.
struct InputOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The ELF files to read.", valueName: "file"))
  var arguments: [InputPaths]

  @OptionGroup var output: OutputOptions

  var files: [FilePath] { arguments.flatMap(\.paths) }

  /// Reads each file and writes what `body` finds in it.
  ///
  /// Throws the exit status 1 if a file failed.
  func report<Body: ReportBody>(
    _ body: (ELFFile) throws(ELFFileError) -> Body
  ) throws {
    var writer = ReportWriter(output.formatter(hasHeadings: files.count > 1))
    for path in files { writer.read(path, body) }
    try writer.finish()
  }
}
