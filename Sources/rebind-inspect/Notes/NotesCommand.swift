#if Commands

import ArgumentParser
import ELFInspection
import RebindFiles

/// The subcommand `notes`: what compilers, linkers and distributions left for tools.
struct NotesCommand: FileOrProcessSubcommand {
  static let manual = Manual(
    name: "notes",
    abstract: "List the notes of files: build-id, ABI, properties, probes, packages.",
    usage: usage,
    overview: """
      Without section headers, the notes are those that are loaded. Probes are not.

      With `--pid`, they are those in memory, and a place is the distance from the image's start.
      """,
    examples: [
      "notes libfoo.so",
      "notes libfoo.so | awk '$5 == \"GNU_BUILD_ID\" { print $6 }'",
      "notes --format json libc.so.6 | jq '.files[].notes[].owner'",
      "notes --pid 4711",
    ])

  static let configuration = manualConfiguration

  static var record: Record { NotesReport.record }

  @Argument(help: .files) var arguments: [InputPaths] = []

  @OptionGroup var list: FileListOptions

  @OptionGroup var process: ProcessInPlaceOption

  @OptionGroup var output: OutputOptions

  func run() throws {
    try report { file throws(ELFFileError) in
      NotesReport(subject: ReportSubject(file), notes: try file.notes)
    } images: { image, scope throws(ELFFileError) in
      NotesReport(
        subject: ReportSubject(image.image), notes: try image.loaded.notes,
        process: (scope.pid, image.image.loadBias))
    }
  }
}

#endif
