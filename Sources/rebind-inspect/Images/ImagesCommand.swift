#if Commands

import ArgumentParser
import RebindFiles

/// The subcommand `images`: what is loaded in a process.
struct ImagesCommand: Subcommand {
  static let manual = Manual(
    name: "images",
    abstract: "List the images of a process: its program and libraries, and where they are.",
    usage: [
      "[<options>] --pid <pid>"
    ],
    overview: """
      Images that the loader does not know of come last. The path of a file that is gone ends \
      in ` (deleted)`, as in all subcommands with `--pid`.
      """,
    examples: [
      "images --pid 4711",
      "images --pid $$ --format json | jq -r '.files[].buildID'",
    ])

  static let configuration = manualConfiguration

  static var record: Record { ImageReport.record }

  @OptionGroup var process: ProcessOption

  @OptionGroup var output: OutputOptions

  func run() throws {
    var writer = ReportWriter(output.formatter(RowShape(ImageReport.row), hasHeadings: false))
    writer.readImages(of: process.pid) { image, scope throws(ELFFileError) -> ImageReport? in
      ImageReport(image, in: scope)
    }
    try writer.finish()
  }
}

#endif
