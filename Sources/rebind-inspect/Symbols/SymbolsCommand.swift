#if Commands

import ArgumentParser
import ELFInspection
import RebindFiles

/// The subcommand `symbols`: what an image imports and exports.
struct SymbolsCommand: FileOrProcessSubcommand {
  static let manual = Manual(
    name: "symbols",
    abstract: "List the symbols that the loader binds by, with their versions.",
    usage: usage,
    overview: """
      The symbols are found as the loader finds them, whether or not the file has section \
      headers.

      With `--resolve`, a missing library is a line on standard error. So are a program's \
      imports that no library has. The exit status is then 1. It is 2 if a library cannot be read.

      With `--pid`, the symbols are those in memory, which may have been changed there.
      """,
    examples: [
      "symbols --imports /usr/bin/env",
      "symbols --imports --resolve app | awk '{ print $8, $9 }'",
      "symbols --exports --type FUNC --sort size libfoo.so | head",
      "symbols --name '/^mem/' --symbol-version 'GLIBC_*' libc.so.6",
      "symbols --exports --demangle --name 'Foo::*' libfoo.so",
      "symbols libfoo.so | awk '$4 == \"FUNC\" { print $8 }'",
      "symbols --format json *.so | jq '.files[].symbols[]?.name'",
      "symbols --pid 4711 --exports",
      "symbols --imports --with-path *.so | grep ' malloc@'",
      "symbols --files-from list.txt --format csv > symbols.csv",
    ])

  static let configuration = manualConfiguration

  static var record: Record { SymbolReport.record }

  @OptionGroup var selection: SymbolOptions

  @OptionGroup var readable: ReadableNameOption

  @Flag(help: "Show the readable names of Swift and C++ beside the mangled ones.")
  var demangle = false

  @Flag(
    help: """
      Show which library each import comes from, and which others have it too, as the loader finds \
      them.
      """)
  var resolve = false

  @OptionGroup var search: SearchOptions

  @Argument(help: .files) var arguments: [InputPaths] = []

  @OptionGroup var list: FileListOptions

  @OptionGroup var process: ProcessInPlaceOption

  @OptionGroup var output: OutputOptions

  func validate() throws {
    try validateInput()
    if resolve, pid != nil {
      throw ValidationError("--resolve is for files: slots --pid shows where imports lead.")
    }
  }

  func run() throws {
    let selection = selection.filter(isReadable: demangle, readable.names)
    let demangles = demangle
    let report: @Sendable (ELFFile) throws(ELFFileError) -> SymbolReport = {
      file throws(ELFFileError) in
      try file.checkIsNoCore()
      return SymbolReport(
        subject: ReportSubject(file),
        symbols: SymbolListing(table: try SymbolTable(of: file), selection: selection),
        demangles: demangles)
    }
    let presences = demangle ? [Presence.demangled] : []
    guard resolve else {
      return try self.report(presences, report) { image, scope throws(ELFFileError) in
        SymbolReport(
          subject: ReportSubject(image.image),
          symbols: SymbolListing(table: try image.checkedSymbols(), selection: selection),
          demangles: demangles, process: (scope.pid, image.image.loadBias))
      }
    }
    let resolver = search.resolver
    let rows = RowShape(SymbolReport.row, [.always, .resolved] + presences)
    try output.reportInTurn(files(), rows: rows) { file throws(ELFFileError) in
      var found = try report(file)
      found.origins = SymbolOrigins(of: try resolver.graph(of: file))
      return found
    } then: { report, writer in
      report.origins?.tell(of: report.subject.path, report.symbols.table, &writer)
    }
  }
}

#endif
