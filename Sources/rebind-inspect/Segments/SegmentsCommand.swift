#if Commands

import ArgumentParser
import ELFInspection
import RebindFiles

/// The subcommand `segments`: what is loaded, and where.
struct SegmentsCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "segments", _superCommandName: "rebind-inspect",
    abstract: "List the segments of files: what is loaded, and where.",
    discussion: """
      The columns of text are index, type, offset, address, physical address, size in the file, \
      size in memory, permissions, alignment, and the names of the sections in it with commas \
      between them; - stands for none. INTERP has the path of the loader behind these.

      EXAMPLES:
        rebind-inspect segments libfoo.so
        rebind-inspect segments libfoo.so | awk '$2 == "LOAD" && $8 ~ /wx/'
        rebind-inspect segments --format json app | jq -r '.files[].interpreter'
      """)

  static var record: Record { SegmentsReport.record }

  @OptionGroup var options: InputOptions

  func run() throws {
    try options.report { file throws(ELFFileError) in
      SegmentsReport(
        subject: ReportSubject(file), segments: try file.segmentTable,
        interpreter: try file.interpreter)
    }
  }
}

#endif
