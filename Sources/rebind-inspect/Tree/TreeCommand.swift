#if Commands

import ArgumentParser
import ELFInspection
import RebindFiles

/// The subcommand `tree`: what a loader would load with a file.
struct TreeCommand: FileSubcommand {
  static let manual = Manual(
    name: "tree",
    abstract: "Show the libraries that the loader would load, and why from there.",
    overview: """
      Nothing is run: libraries are found by the rules of the loader that the file asks for, \
      glibc's or musl's. The libraries that an image needs are below it once, where the loader \
      comes to it first. Behind them stand those that it may load with `dlopen`, by the notes of its \
      authors. A picture has them too, at dashed arrows.

      A missing loader, library or version is a line on standard error, and the exit status is \
      1. A library that should be preloaded and is missing is a line alone: the loader goes on.
      """,
    words: [words],
    examples: [
      "tree /usr/bin/env",
      "tree --root /srv/arm64 /srv/arm64/usr/bin/app",
      "tree --as dot libfoo.so | dot -Tsvg > libfoo.svg",
      "tree --format json app | jq -r '.files[].scope[].path'",
    ])

  static let configuration = manualConfiguration

  private static let words = WordList(
    "reason",
    [
      "path": "it is asked for by its path",
      "rpath": "by the `DT_RPATH` of the image in the next column",
      "runpath": "by the `DT_RUNPATH` of the image in the next column",
      "environment": "by `LD_LIBRARY_PATH`",
      "cache": "by the loader's cache, `/etc/ld.so.cache`",
      "default": "in a folder that the loader looks into by itself",
      "loader": "it is the program's loader, or with musl what the loader stands for",
      "preload": "it is loaded first, by `LD_PRELOAD` or `/etc/ld.so.preload`",
      "dlopen":
        """
      it may be loaded by `dlopen`, as a note of the image's authors says; it is not looked for
      """,
      "missing": "it was not found, or a file of that name cannot be loaded",
      "absent": "it was not found, and the loader goes on: the `DT_AUXILIARY` of a library",
    ])

  static var record: Record { TreeReport.record }

  static var columns: [Declaration] { TreeLine.listing.record.columns }

  @OptionGroup var search: SearchOptions

  @Option(help: "Print the graph in this language.")
  var `as`: TreePicture?

  @Argument(help: .files) var arguments: [InputPaths] = []

  @OptionGroup var list: FileListOptions

  @OptionGroup var output: OutputOptions

  func validate() throws {
    try validateInput()
    guard let picture = `as` else { return }
    guard output.isPlain else {
      throw ValidationError("--as \(picture) draws a picture: it has no --format, paths or titles.")
    }
  }

  func run() throws {
    let files = try files()
    guard `as` != .mermaid || files.count == 1 else {
      Self.exit(withError: ValidationError("--as mermaid takes one file."))
    }
    let resolver = search.resolver
    try output.reportInTurn(files, headings: `as` == nil ? nil : TextHeadings.none) {
      file throws(ELFFileError) in
      TreeReport(
        subject: ReportSubject(file), graph: try resolver.graph(of: file), picture: `as`)
    } then: { report, writer in
      for problem in report.graph.problems { writer.find(report.subject.path, problem) }
      for warning in report.graph.warnings { writer.warn(report.subject.path, warning) }
    }
  }
}

/// The values of `--as`.
enum TreePicture: String, CaseIterable, ExpressibleByArgument {
  case dot, mermaid
}

#endif
