#if Commands

import ArgumentParser
import ELFInspection
import RebindFiles

/// The subcommand `dynamic`: what a file tells the loader.
struct DynamicCommand: FileOrProcessSubcommand {
  static let manual = Manual(
    name: "dynamic",
    abstract: "List the dynamic table, and the versions of symbols that files define and need.",
    usage: usage,
    overview: """
      Behind the table, lines with `DEFINES` or `NEEDS` have the versions of symbols. `BASE` \
      marks the version that stands for the file itself, `WEAK` one that may be missing. \
      Section headers are not needed.

      With `--pid`, the tables are those in memory: glibc's loader has made addresses of them \
      run-time ones.
      """,
    examples: [
      "dynamic libfoo.so",
      "dynamic libfoo.so | awk '$1 == \"NEEDED\" { print $3 }'",
      "dynamic --format json libfoo.so | jq -r '.files[].needed[]'",
      "dynamic --pid 4711",
    ])

  static let configuration = manualConfiguration

  static var record: Record { DynamicReport.record }

  @Argument(help: .files) var arguments: [InputPaths] = []

  @OptionGroup var list: FileListOptions

  @OptionGroup var process: ProcessInPlaceOption

  @OptionGroup var output: OutputOptions

  func run() throws {
    try report { file throws(ELFFileError) in
      DynamicReport(
        subject: ReportSubject(file), table: try file.dynamicTable, versions: try file.versions)
    } images: { image, scope throws(ELFFileError) in
      DynamicReport(
        subject: ReportSubject(image.image), table: try image.loaded.dynamicTable,
        versions: try image.loaded.versions, process: (scope.pid, image.image.loadBias))
    }
  }
}

#endif
