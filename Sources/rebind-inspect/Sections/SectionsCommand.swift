#if Commands

import ArgumentParser
import RebindFiles

/// The subcommand `sections`: the parts of a file, by name.
struct SectionsCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "sections", _superCommandName: "rebind-inspect",
    abstract: "List the sections of files.",
    discussion: """
      The columns of text are index, type, address, offset, size, entry size, flags, link, info, \
      alignment and name; - stands for none. The flags are readelf's letters.

      Without section headers, the sections are those that notes of the file tell of; these have \
      no index.

      EXAMPLES:
        rebind-inspect sections libfoo.so
        rebind-inspect sections foo.o | awk '$7 ~ /X/ { n += $5 } END { print n }'
        rebind-inspect sections --format jsonl libfoo.so | jq '.sections[].name'
      """)

  static var record: Record { SectionsReport.record }

  @OptionGroup var options: InputOptions

  func run() throws {
    try options.report { file throws(ELFFileError) in
      SectionsReport(subject: ReportSubject(file), sections: try file.sectionTable)
    }
  }
}

#endif
