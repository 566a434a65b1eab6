#if Commands

import ArgumentParser
import ELFInspection
import RebindFiles

/// The subcommand `tree`: what a loader would load with a file.
struct TreeCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "tree", _superCommandName: "rebind-inspect",
    abstract: "Show the libraries that the loader would load, and why from there.",
    usage: "rebind-inspect tree [<options>] <file> ...",
    discussion: """
      Nothing is run: libraries are found by the rules of the loader that the file asks for, \
      glibc's or musl's. The columns of text are depth, name, reason, of, path and note; - stands \
      for none. The reason is path (asked for by its path), rpath or runpath (of the image in the \
      next column), environment, cache, default, loader, preload, or missing. A note says again \
      where a library has been shown in full or will be, lacks: and the versions that are not \
      there, or unversioned for a library that cannot tell. The file itself has the note no-interpreter \
      if the loader that it asks for is not there.

      A missing loader, library or version is one line on standard error, and the exit status is 1.

      EXAMPLES:
        rebind-inspect tree /usr/bin/env
        rebind-inspect tree --root /srv/arm64 /srv/arm64/usr/bin/app
        rebind-inspect tree --as dot libfoo.so | dot -Tsvg > libfoo.svg
        rebind-inspect tree --format json app | jq -r '.files[].scope[].path'
      """)

  static var record: Record { TreeReport.record }

  static var columns: [Declaration] { TreeLine.listing.record.columns }

  @OptionGroup var search: SearchOptions

  @Option(help: "Draw the libraries and what they need in a language for pictures.")
  var `as`: TreePicture?

  @OptionGroup var options: InputOptions

  func validate() throws {
    guard let picture = `as` else { return }
    guard options.output.format == .text else {
      throw ValidationError("--as \(picture) has no --format.")
    }
    guard picture == .dot || options.files.count == 1 else {
      throw ValidationError("--as mermaid takes one file.")
    }
  }

  func run() throws {
    let resolver = search.resolver
    try options.reportInTurn(headings: `as` == nil ? nil : TextHeadings.none) {
      file throws(ELFFileError) in
      TreeReport(
        subject: ReportSubject(file), graph: try resolver.graph(of: file), picture: `as`)
    } problems: {
      $0.graph.problems
    }
  }
}

/// The values of `--as`.
enum TreePicture: String, CaseIterable, ExpressibleByArgument {
  case dot, mermaid
}

#endif
