#if Commands

import ArgumentParser
import ELFInspection
import RebindFiles

/// The subcommand `why`: will a rebinding of a symbol see the calls of a file, or of a process?
struct WhyCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "why", _superCommandName: "rebind-inspect",
    abstract:
      "Say whether a rebinding would see the calls of a file or a process, and if not, why.",
    usage: """
      rebind-inspect why [<options>] <symbol> --in <file> ...
      rebind-inspect why [<options>] <symbol> --pid <pid> [--in <image> ...]
      """,
    discussion: """
      The columns of text are reason, detail, the number of slots, and a sentence; - stands for no \
      detail. The first line is the answer. The reason is has-slots (they are seen), not-imported, \
      bound-inside, other-name, other-version, other-library, not-defined, static-executable, \
      unchangeable, sealed (the slots lie in pages that nobody can open) or bypassed (calls jump past \
      the slots). other-name has names to rebind too: open64, __open_2, openat, and what \
      compilers make of calls, as puts of printf. Several may hold: has-slots with not-defined is \
      of a symbol that none of the file's libraries has.

      Of a process there is an answer for each image that has to do with the symbol, or for those \
      that --in names by path, file name or soname. A line with slot is one of its slots, with its \
      state (null, unresolved, original, rebound, or assigned for a pointer in data that leads \
      elsewhere) and where it leads.

      EXAMPLES:
        rebind-inspect why open --in /usr/bin/env
        rebind-inspect why memcpy@GLIBC_2.14 --in libfoo.so
        rebind-inspect why malloc --library libc.so.6 --in app plugins/*.so
        rebind-inspect why malloc --pid 4711
        rebind-inspect why open --pid 4711 --in libfoo.so
      """)

  static var record: Record { WhyReport.record }

  @Argument(help: "The symbol, or symbol@version for the slots of one version.")
  var symbol: String

  @Option(
    name: .customLong("in"), parsing: .upToNextOption,
    help: ArgumentHelp(
      "The ELF files whose calls are asked about, or the images of a process.", valueName: "file"))
  var arguments: [InputPaths] = []

  @OptionGroup var process: OptionalProcessOption

  @Option(
    help: "Only slots that are bound to the definition of this library, by its soname or file name."
  )
  var library: String?

  @OptionGroup var search: SearchOptions

  @OptionGroup var output: OutputOptions

  private var files: [FilePath] { arguments.flatMap(\.paths) }

  func validate() throws {
    guard !sought.name.isEmpty else { throw ValidationError("The symbol has no name.") }
    if arguments.isEmpty, process.pid == nil {
      throw ValidationError("Missing expected argument '--in <file> ...' or '--pid <pid>'")
    }
  }

  func run() throws {
    if let pid = process.pid { return try run(on: pid) }
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

  private func run(on pid: Int32) throws {
    var writer = ReportWriter(output.formatter(hasHeadings: true))
    // The program's, if nothing has to do with the symbol.
    var first: WhyReport?
    var isAnswered = false
    var isThere = false
    var missing = files
    writer.readImages(of: pid) { image, scope throws(ELFFileError) -> WhyReport? in
      isThere = true
      if !files.isEmpty {
        guard files.contains(where: { image.isNamed($0) }) else { return nil }
        missing.removeAll { image.isNamed($0) }
      } else if image.isLoader {
        return nil
      }
      let found = try scope.diagnose(sought, of: image)
      let report = try WhyReport(of: image, pid: pid, sought, found)
      first = first ?? report
      guard !files.isEmpty || found.isConcerned else { return nil }
      isAnswered = true
      return report
    }
    if !isAnswered, let first { writer.write(first) }
    for path in missing where isThere {
      writer.write(ELFFileError(path: path, reason: .notLoaded(process: pid)))
    }
    try writer.finish()
  }

  private var sought: SoughtSymbol {
    var sought = SoughtSymbol(RawArguments.text(symbol))
    sought.library = library.map { RawArguments.text($0) }
    return sought
  }
}

#endif
