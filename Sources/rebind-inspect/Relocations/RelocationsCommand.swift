#if Commands

import ArgumentParser
import RebindFiles

/// The subcommand `relocations`: what the loader or a linker changes in a file.
struct RelocationsCommand: Subcommand {
  static let manual = Manual(
    name: "relocations",
    abstract: "List the relocations of files, with the symbols and versions that they name.",
    overview: """
      Packed relative relocations (`DT_RELR`) are shown one by one. Section headers are not \
      needed.
      """,
    examples: [
      "relocations libfoo.so | grep ' malloc@'",
      "relocations libfoo.so | awk '{ print $3 }' | sort | uniq -c",
      "relocations --format jsonl foo.o | jq '.relocations[].target'",
    ])

  static let configuration = manualConfiguration

  static var record: Record { RelocationReport.record }

  @OptionGroup var options: InputOptions

  func run() throws {
    try options.report { file throws(ELFFileError) in
      try RelocationReport(of: file)
    }
  }
}

#endif
