#if Commands

import ArgumentParser
import RebindFiles

/// The subcommand `images`: what is loaded in a process.
struct ImagesCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "images", _superCommandName: "rebind-inspect",
    abstract: "List the images of a process: its program and libraries, and where they are.",
    usage: "rebind-inspect images [<options>] --pid <pid>",
    discussion: """
      The columns of text are start, end, load bias, order, file, build ID and path; - stands for \
      none. The order is that of the loader, in which it looks for symbols; the program is 0. The \
      file is same, deleted or replaced, or unknown if it cannot be read. Images that the loader \
      was told of in front of the program's own libraries have preloaded behind the order, \
      those of LD_AUDIT have auditor, and others in a namespace of their own its number.

      EXAMPLES:
        rebind-inspect images --pid 4711
        rebind-inspect images --pid $$ --format json | jq -r '.files[].buildID'
      """)

  static var record: Record { ImageReport.record }

  @OptionGroup var process: ProcessOption

  @OptionGroup var output: OutputOptions

  func run() throws {
    var writer = ReportWriter(output.formatter(hasHeadings: false))
    writer.readImages(of: process.pid) { image, scope throws(ELFFileError) -> ImageReport? in
      ImageReport(image, in: scope)
    }
    try writer.finish()
  }
}

#endif
