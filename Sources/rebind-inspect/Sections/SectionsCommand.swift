#if Commands

import ArgumentParser
import RebindFiles

/// The subcommand `sections`: the parts of a file, by name.
struct SectionsCommand: Subcommand {
  static let manual = Manual(
    name: "sections",
    abstract: "List the sections of files.",
    overview: """
      Section headers are for linkers and debuggers, and may be stripped. The sections are \
      then those that notes of the file name. These have no index.
      """,
    examples: [
      "sections libfoo.so",
      "sections foo.o | awk '$7 ~ /X/ { n += $5 } END { print n }'",
      "sections --format jsonl libfoo.so | jq '.sections[].name'",
    ])

  static let configuration = manualConfiguration

  static var record: Record { SectionsReport.record }

  @OptionGroup var options: InputOptions

  func run() throws {
    try options.report { file throws(ELFFileError) in
      SectionsReport(subject: ReportSubject(file), sections: try file.sectionTable)
    }
  }
}

#endif
