#if Commands

import ArgumentParser
import ELFInspection
import RebindFiles

/// The subcommand `sections`: the parts of a file, by name.
struct SectionsCommand: FileOrProcessSubcommand {
  static let manual = Manual(
    name: "sections",
    abstract: "List the sections of files.",
    usage: usage,
    overview: """
      Section headers are for linkers and debuggers, and may be stripped. The sections are \
      then those that notes of the file name. These have no index.

      With `--pid`, the sections are those of the images' files, as no memory has their headers. \
      An image whose file is gone or is another one fails.
      """,
    examples: [
      "sections libfoo.so",
      "sections foo.o | awk '$7 ~ /X/ { n += $5 } END { print n }'",
      "sections --format jsonl libfoo.so | jq '.sections[].name'",
      "sections --pid 4711",
    ])

  static let configuration = manualConfiguration

  static var record: Record { SectionsReport.record }

  @Argument(help: .files) var arguments: [InputPaths] = []

  @OptionGroup var list: FileListOptions

  @OptionGroup var process: ProcessInPlaceOption

  @OptionGroup var output: OutputOptions

  func run() throws {
    try report { file throws(ELFFileError) in
      SectionsReport(subject: ReportSubject(file), sections: try file.sectionTable)
    } images: { image, scope throws(ELFFileError) in
      SectionsReport(
        subject: ReportSubject(image.image),
        sections: try scope.fileWithSections(of: image).sectionTable,
        process: (scope.pid, image.image.loadBias))
    }
  }
}

#endif
