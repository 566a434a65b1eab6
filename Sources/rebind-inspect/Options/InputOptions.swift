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
  /// Throws the exit status 1 if a file failed, or has problems.
  ///
  /// - Parameters:
  ///   - hasHeadings: Whether text has the path of each of several files.
  ///   - problems: What is wrong with what was found, a line each.
  func report<Body: ReportBody>(
    hasHeadings: Bool = true, _ body: (ELFFile) throws(ELFFileError) -> Body,
    problems: (Body) -> [String] = { _ in [] }
  ) throws {
    var writer = ReportWriter(output.formatter(hasHeadings: hasHeadings && files.count > 1))
    for path in files {
      writer.read(path, body) { found, writer in
        for problem in problems(found) { writer.fail(found.subject.path, problem) }
      }
    }
    try writer.finish()
  }
}
