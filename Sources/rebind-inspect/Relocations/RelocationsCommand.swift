#if Commands

import ArgumentParser
import ELFInspection
import RebindFiles

/// The subcommand `relocations`: what the loader or a linker changes in a file.
struct RelocationsCommand: FileOrProcessSubcommand {
  static let manual = Manual(
    name: "relocations",
    abstract: "List the relocations of files, with the symbols and versions that they name.",
    usage: usage,
    overview: """
      Packed relative relocations (`DT_RELR`) are shown one by one. Section headers are not \
      needed.

      With `--pid`, the tables are those in memory, as the loader has read them.
      """,
    examples: [
      "relocations libfoo.so | grep ' malloc@'",
      "relocations libfoo.so | awk '{ print $3 }' | sort | uniq -c",
      "relocations --format jsonl foo.o | jq '.relocations[].target'",
      "relocations --pid 4711",
    ])

  static let configuration = manualConfiguration

  static var record: Record { RelocationReport.record }

  @OptionGroup var readability: DemangleOption

  @Argument(help: .files) var arguments: [InputPaths] = []

  @OptionGroup var list: FileListOptions

  @OptionGroup var process: ProcessInPlaceOption

  @OptionGroup var output: OutputOptions

  func run() throws {
    let demangling = readability.value
    try report(demangling.presences) { file throws(ELFFileError) in
      try RelocationReport(of: file, demangling)
    } images: { image, scope throws(ELFFileError) in
      var report = try RelocationReport(of: image.loaded, demangling)
      report.process = (scope.pid, image.image.loadBias)
      return report
    }
  }
}

#endif
