#if Commands

import ArgumentParser
import ELFInspection
import RebindFiles

/// The subcommand `notes`: what compilers, linkers and distributions left for tools.
struct NotesCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "notes", _superCommandName: "rebind-inspect",
    abstract: "List the notes of files: build-id, ABI, properties, probes, packages.",
    discussion: """
      The columns of text are section, offset, size, owner, type, and what the note says, or its \
      bytes in hexadecimal; - stands for none.

      Without section headers, the notes are those that are loaded.

      EXAMPLES:
        rebind-inspect notes libfoo.so
        rebind-inspect notes libfoo.so | awk '$5 == "GNU_BUILD_ID" { print $6 }'
        rebind-inspect notes --format json libc.so.6 | jq '.files[].notes[].owner'
      """)

  static var record: Record { NotesReport.record }

  @OptionGroup var options: InputOptions

  func run() throws {
    try options.report { file throws(ELFFileError) in
      NotesReport(subject: ReportSubject(file), notes: try file.notes)
    }
  }
}

#endif
