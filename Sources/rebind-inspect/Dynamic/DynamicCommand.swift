#if Commands

import ArgumentParser
import ELFInspection
import RebindFiles

/// The subcommand `dynamic`: what a file tells the loader.
struct DynamicCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "dynamic", _superCommandName: "rebind-inspect",
    abstract: "List the dynamic table, and the versions of symbols that files define and need.",
    discussion: """
      The columns of text are tag, value, and what it means; - stands for none. Behind the table \
      are lines with DEFINES or NEEDS, the index of a version, and the version: of those that are \
      defined also the versions that it comes after, and in front of those that are needed the \
      library that should have them.

      Section headers are not needed.

      EXAMPLES:
        rebind-inspect dynamic libfoo.so
        rebind-inspect dynamic libfoo.so | awk '$1 == "NEEDED" { print $3 }'
        rebind-inspect dynamic --format json libfoo.so | jq -r '.files[].needed[]'
      """)

  static var record: Record { DynamicReport.record }

  @OptionGroup var options: InputOptions

  func run() throws {
    try options.report { file throws(ELFFileError) in
      DynamicReport(
        subject: ReportSubject(file), table: try file.dynamicTable, versions: try file.versions)
    }
  }
}

#endif
