import ArgumentParser
import Glibc
import RebindFiles

/// The arguments that every subcommand takes: what to read, and how to print it.
struct InputOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The ELF files to read.", valueName: "file"))
  var arguments: [InputPaths]

  var files: [FilePath] { arguments.flatMap(\.paths) }

  @Option(help: "The format of the output.")
  var format: OutputFormat = .text

  @Option(
    help: """
      When text is coloured. With auto it is on a terminal, unless NO_COLOR is set or TERM is \
      dumb.
      """)
  var color: ColorChoice = .auto
}

/// The values of `--format`.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
  case text, json, jsonl
}

/// The values of `--color`.
enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
  case auto, always, never
}

extension InputOptions {
  /// Opens each file in turn and calls `body`, which writes what it finds; a file that fails is
  /// reported, and the next one is read.
  ///
  /// Throws the exit status 1 at the end if a file failed.
  func forEachFile(
    _ body: (ELFFile, inout any ReportFormatter, inout OutputBuffer) throws(ELFFileError) -> Void
  ) throws {
    FatalSignals.watch()
    var output = OutputBuffer(descriptor: STDOUT_FILENO)
    var formatter = formatter(hasHeadings: files.count > 1)
    var hasFailed = false
    formatter.begin(in: &output)
    for path in files {
      do throws(ELFFileError) {
        FatalSignals.isReading(path)
        try body(ELFFile(path), &formatter, &output)
      } catch {
        hasFailed = true
        formatter.write(error, in: &output)
        // Both streams may be one terminal: the line goes where the file would have been.
        output.flush()
        Diagnostics.report(path, error.message)
      }
    }
    formatter.end(in: &output)
    output.finish()
    if hasFailed { throw ExitCode.failure }
  }
}
