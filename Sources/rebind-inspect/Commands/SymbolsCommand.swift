import ArgumentParser
import RebindFiles

/// The subcommand `symbols`: what an image imports and exports.
struct SymbolsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "symbols",
    abstract: "List the symbols that the loader binds by, with their versions.",
    discussion: """
      The columns of text are index, value, size, type, binding, visibility, section, \
      name@version, and with --demangle the readable name to the end of the line. @@ marks the \
      default version. The section is UND for an import.

      Section headers are not needed: the symbols are found as the loader finds them.

      EXAMPLES:
        rebind-inspect symbols --imports /usr/bin/env
        rebind-inspect symbols --exports --demangle libfoo.so | grep 'Foo::'
        rebind-inspect symbols libfoo.so | awk '$4 == "FUNC" { print $8 }'
        rebind-inspect symbols --format json *.so | jq '.files[].symbols[]?.name'
      """)

  @Flag(help: "Only the symbols that the file takes from others: the undefined ones.")
  var imports = false

  @Flag(
    help: """
      Only the symbols that others can take from the file. With --imports, both are shown.
      """)
  var exports = false

  @Flag(help: "Show the readable names of Swift and C++ beside the mangled ones.")
  var demangle = false

  @OptionGroup var options: InputOptions

  func run() throws {
    let selection = SymbolSelection(imports: imports, exports: exports)
    try options.report { file throws(ELFFileError) in
      SymbolReport(
        subject: ReportSubject(file), table: try SymbolTable(of: file), selection: selection,
        demangles: demangle)
    }
  }
}
