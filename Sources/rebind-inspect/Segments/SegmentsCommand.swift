#if Commands

import ArgumentParser
import ELFInspection
import RebindFiles

/// The subcommand `segments`: what is loaded, and where.
struct SegmentsCommand: Subcommand {
  static let manual = Manual(
    name: "segments",
    abstract: "List the segments of files: what is loaded, and where.",
    overview: """
      A segment is a program header. Without section headers, no names of sections are known.
      """,
    examples: [
      "segments libfoo.so",
      "segments libfoo.so | awk '$2 == \"LOAD\" && $8 ~ /wx/'",
      "segments --format json app | jq -r '.files[].interpreter'",
    ])

  static let configuration = manualConfiguration

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
