#if Commands

import ArgumentParser
import ELFInspection
import Rebind
import RebindFiles

/// The subcommand `symbols`: what an image imports and exports.
struct SymbolsCommand: FileOrProcessSubcommand {
  static let manual = Manual(
    name: "symbols",
    abstract: "List the symbols that the loader binds by, with their versions.",
    usage: usage,
    overview: """
      The symbols are found as the loader finds them, whether or not the file has section \
      headers. With `--all`, they are those of `.symtab`, as `nm -a` shows them.

      With `--resolve`, a missing library is a line on standard error. So are a program's \
      imports that no library has. The exit status is then 1. It is 2 if a library cannot be read.

      With `--unresolved`, the symbols are the imports that nothing defines, of those that relocations name: \
      a loader looks up no others. So it says what `ldd -r` says, and runs nothing. Unresolved imports \
      of a library that it needs are a line on standard error. A plug-in takes symbols from its program: \
      name these with `--allow`.

      With `--pid`, the symbols are those in memory, which may have been changed there.
      """,
    examples: [
      "symbols --imports /usr/bin/env",
      "symbols --imports --resolve app | awk '{ print $8, $9 }'",
      "symbols --unresolved --allow 'Py*' plugins/*.so",
      "symbols --exports --type FUNC --sort size libfoo.so | head",
      "symbols --name '/^mem/' --symbol-version 'GLIBC_*' libc.so.6",
      "symbols --exports --demangle=only --name 'Foo::*' libfoo.so",
      "symbols --all --sort size foo.o | head",
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

  @OptionGroup var readability: DemangleOption

  @Flag(
    help: """
      All symbols of the table that linkers and debuggers read: of object files, archives, static \
      programs and debug files too.
      """)
  var all = false

  @Flag(
    help: """
      Show which library each import comes from, and which others have it too, as the loader finds \
      them.
      """)
  var resolve = false

  @Flag(
    help: """
      Show the imports that nothing defines, as ldd -r finds them. The exit status is 1 if it shows \
      any. With --weak, it shows weak ones alone, and the status is 0: they may stay without a definition.
      """)
  var unresolved = false

  @Option(
    help: ArgumentHelp(
      """
      With --unresolved, leave out the imports of this name: a program brings them for its plug-ins. \
      A pattern as for --name; several are alternatives.
      """, valueName: "pattern"))
  var allow: [NamePattern] = []

  @OptionGroup var search: SearchOptions

  @Argument(help: .files) var arguments: [InputPaths] = []

  @OptionGroup var list: FileListOptions

  @OptionGroup var process: ProcessInPlaceOption

  @OptionGroup var output: OutputOptions

  func validate() throws {
    try validateInput()
    if resolve || unresolved, pid != nil {
      throw ValidationError(
        "\(resolve ? "--resolve" : "--unresolved") is for files: slots --pid shows where imports lead."
      )
    }
    if all, resolve || unresolved || pid != nil {
      throw ValidationError(
        """
        --all shows the symbols of linkers, which no loader reads: without --resolve, --unresolved \
        and --pid.
        """)
    }
    guard unresolved else {
      guard allow.isEmpty else { throw ValidationError("--allow is for --unresolved.") }
      return
    }
    guard !resolve, !selection.exports else {
      throw ValidationError(
        "--unresolved shows the imports that come from nowhere, and nothing else.")
    }
  }

  func run() throws {
    let demangling = readability.value
    let selection = selection.filter(isReadable: demangling != .none, readable.names)
    let all = all
    let report: @Sendable (ELFFile) throws(ELFFileError) -> SymbolReport = {
      file throws(ELFFileError) in
      try file.checkIsNoCore()
      let table = all ? try SymbolTable(ofLinkersIn: file) : try SymbolTable(of: file)
      return SymbolReport(
        subject: ReportSubject(file),
        symbols: SymbolListing(table: table, selection: selection, demangling: demangling),
        isOfLinkers: all)
    }
    guard resolve || unresolved else {
      return try self.report(demangling.presences, report) { image, scope throws(ELFFileError) in
        SymbolReport(
          subject: ReportSubject(image.image),
          symbols: SymbolListing(
            table: try image.checkedSymbols(), selection: selection, demangling: demangling),
          process: (scope.pid, image.image.loadBias))
      }
    }
    let resolver = search.resolver
    if unresolved { return try reportUnresolved(resolver, demangling.presences, report) }
    let rows = RowShape(SymbolReport.row, [.always, .resolved] + demangling.presences)
    try output.reportInTurn(files(), rows: rows) { file throws(ELFFileError) in
      var found = try report(file)
      found.origins = SymbolOrigins(of: try resolver.graph(of: file))
      return found
    } then: { report, writer in
      report.origins?.tell(of: report.subject.path, &writer)
      report.origins?.tellUnresolved(of: report.subject.path, &writer)
    }
  }

  private func reportUnresolved(
    _ resolver: LibraryResolver, _ presences: [Presence],
    _ report: (ELFFile) throws(ELFFileError) -> SymbolReport
  ) throws {
    var unresolved: UnresolvedSymbols?
    let rows = RowShape(SymbolReport.row, [.always] + presences)
    try output.reportInTurn(files(), rows: rows) { file throws(ELFFileError) in
      var found = try report(file)
      let imports = try UnresolvedSymbols(in: try resolver.graph(of: file), allowed: allow)
      unresolved = imports
      let places = imports.own.map { own in
        own.places.filter { selection.weak || own.table[$0].binding != .weak }
      }
      found.symbols.selection.places = Set(places ?? [])
      return found
    } then: { report, writer in
      unresolved?.tell(of: report, &writer)
    }
  }
}

#endif
