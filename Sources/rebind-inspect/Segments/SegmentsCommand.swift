#if Commands

import ArgumentParser
import ELFInspection
import RebindFiles

/// The subcommand `segments`: what is loaded, and where.
struct SegmentsCommand: FileOrProcessSubcommand {
  static let manual = Manual(
    name: "segments",
    abstract: "List the segments of files: what is loaded, and where.",
    usage: usage,
    overview: """
      A segment is a program header. Without section headers, no names of sections are known.

      With `--pid`, they are those in memory. The names of sections are from the image's file, \
      if that is proven to be it.
      """,
    examples: [
      "segments libfoo.so",
      "segments libfoo.so | awk '$2 == \"LOAD\" && $8 ~ /wx/'",
      "segments --format json app | jq -r '.files[].interpreter'",
      "segments --pid 4711",
    ])

  static let configuration = manualConfiguration

  static var record: Record { SegmentsReport.record }

  @Argument(help: .files) var arguments: [InputPaths] = []

  @OptionGroup var list: FileListOptions

  @OptionGroup var process: ProcessInPlaceOption

  @OptionGroup var output: OutputOptions

  func run() throws {
    try report { file throws(ELFFileError) in
      SegmentsReport(
        subject: ReportSubject(file), segments: try file.segmentTable,
        interpreter: try file.interpreter)
    } images: { image, scope throws(ELFFileError) in
      SegmentsReport(
        subject: ReportSubject(image.image), segments: try image.segmentTable,
        interpreter: image.interpreter, process: (scope.pid, image.image.loadBias))
    }
  }
}

#endif
