#if Commands

import ArgumentParser
import ELFInspection
import RebindFiles

/// The subcommand `symbols`: what an image imports and exports.
struct SymbolsCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "symbols", _superCommandName: "rebind-inspect",
    abstract: "List the symbols that the loader binds by, with their versions.",
    discussion: """
      The columns of text are index, value, size, type, binding, visibility, section, \
      name@version, and with --demangle the readable name to the end of the line. @@ marks the \
      default version. The section is UND for an import.

      With --resolve, the path that an import comes from and the paths that this one shadows, with \
      commas between them, follow the name; - stands for none. A missing library is one line on \
      standard error, and so are a program's imports that come from nowhere; the exit status is \
      then 1.

      Section headers are not needed: the symbols are found as the loader finds them.

      EXAMPLES:
        rebind-inspect symbols --imports /usr/bin/env
        rebind-inspect symbols --imports --resolve app | awk '{ print $8, $9 }'
        rebind-inspect symbols --exports --type FUNC --sort size libfoo.so | head
        rebind-inspect symbols --name '/^mem/' --symbol-version 'GLIBC_*' libc.so.6
        rebind-inspect symbols --exports --demangle --name 'Foo::*' libfoo.so
        rebind-inspect symbols libfoo.so | awk '$4 == "FUNC" { print $8 }'
        rebind-inspect symbols --format json *.so | jq '.files[].symbols[]?.name'
      """)

  static var record: Record { SymbolReport.record }

  @OptionGroup var selection: SymbolOptions

  @Flag(help: "Show the readable names of Swift and C++ beside the mangled ones.")
  var demangle = false

  @Flag(
    help: """
      Show which library each import comes from, and which others have it too, as the loader finds \
      them.
      """)
  var resolve = false

  @OptionGroup var search: SearchOptions

  @OptionGroup var options: InputOptions

  func run() throws {
    let selection = selection.filter(isReadable: demangle)
    let demangles = demangle
    let report: @Sendable (ELFFile) throws(ELFFileError) -> SymbolReport = {
      file throws(ELFFileError) in
      try file.checkIsNoCore()
      return SymbolReport(
        subject: ReportSubject(file), table: try SymbolTable(of: file), selection: selection,
        demangles: demangles)
    }
    guard resolve else { return try options.report(report) }
    let resolver = search.resolver
    try options.reportInTurn { file throws(ELFFileError) in
      var found = try report(file)
      found.origins = SymbolOrigins(of: try resolver.graph(of: file))
      return found
    } problems: {
      $0.problems
    }
  }
}

#endif
