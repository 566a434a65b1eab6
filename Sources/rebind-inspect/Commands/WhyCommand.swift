import ArgumentParser
import RebindFiles

/// The subcommand `why`: will a rebinding of a symbol see a file's calls?
struct WhyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why", _superCommandName: "rebind-inspect",
    abstract: "Say whether a rebinding of a symbol would see a file's calls, and if not, why.",
    usage: "rebind-inspect why [<options>] <symbol> --in <file> ...",
    discussion: """
      The columns of text are reason, detail, the number of slots, and a sentence; - stands for no \
      detail. The first line is the answer. The reason is has-slots (they are seen), not-imported, \
      bound-inside, other-name, other-version, other-library, not-defined, static-executable or \
      unchangeable. other-name has names to rebind too: open64, __open_2, openat.

      EXAMPLES:
        rebind-inspect why open --in /usr/bin/env
        rebind-inspect why memcpy@GLIBC_2.14 --in libfoo.so
        rebind-inspect why malloc --library libc.so.6 --in app plugins/*.so
      """)

  @Argument(help: "The symbol, or symbol@version for the slots of one version.")
  var symbol: String

  @Option(
    name: .customLong("in"), parsing: .upToNextOption,
    help: ArgumentHelp("The ELF files whose calls are asked about.", valueName: "file"))
  var arguments: [InputPaths]

  @Option(
    help: "Only slots that are bound to the definition of this library, by its soname or file name."
  )
  var library: String?

  @OptionGroup var search: SearchOptions

  @OptionGroup var output: OutputOptions

  private var files: [FilePath] { arguments.flatMap(\.paths) }

  func validate() throws {
    guard !sought.name.isEmpty else { throw ValidationError("The symbol has no name.") }
  }

  func run() throws {
    let resolver = search.resolver
    let sought = sought
    var writer = ReportWriter(output.formatter(hasHeadings: files.count > 1))
    for path in files {
      writer.read(path) { file throws(ELFFileError) in
        let graph = try resolver.graph(of: file)
        let scope = SymbolScope(of: graph)
        return WhyReport(
          subject: ReportSubject(file), symbol: sought,
          diagnoses: try graph.diagnose(sought, in: scope), problems: scope.problems)
      } then: { report, writer in
        for problem in report.problems { writer.fail(report.subject.path, problem) }
      }
    }
    try writer.finish()
  }

  private var sought: SoughtSymbol {
    var sought = SoughtSymbol(RawArguments.text(symbol))
    sought.library = library.map { RawArguments.text($0) }
    return sought
  }
}
