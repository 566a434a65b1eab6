#if Commands

import ArgumentParser
import ELFInspection
import RebindFiles

/// The subcommand `dynamic`: what a file tells the loader.
struct DynamicCommand: Subcommand {
  static let manual = Manual(
    name: "dynamic",
    abstract: "List the dynamic table, and the versions of symbols that files define and need.",
    overview: """
      Behind the table, lines with `DEFINES` or `NEEDS` have the versions of symbols. `BASE` \
      marks the version that stands for the file itself, `WEAK` one that may be missing. \
      Section headers are not needed.
      """,
    examples: [
      "dynamic libfoo.so",
      "dynamic libfoo.so | awk '$1 == \"NEEDED\" { print $3 }'",
      "dynamic --format json libfoo.so | jq -r '.files[].needed[]'",
    ])

  static let configuration = manualConfiguration

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
