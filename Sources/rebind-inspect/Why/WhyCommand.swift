#if Commands

import ArgumentParser
import ELFInspection
import RebindFiles

/// The subcommand `why`: will a rebinding of a symbol see the calls of a file, or of a process?
struct WhyCommand: Subcommand {
  static let manual = Manual(
    name: "why",
    abstract:
      "Say whether a rebinding would see the calls of a file or a process, and if not, why.",
    usage: [
      "[<options>] <symbol> <file> ...",
      "[<options>] <symbol> --in <file> ...",
      "[<options>] <symbol> --pid <pid> [--in <image> ...]",
    ],
    overview: """
      The first line is the answer. Several reasons may hold: `has-slots` with `not-defined` \
      is of a symbol that none of the file's libraries has.

      Of a process, each image that has to do with the symbol has an answer, or each that \
      `--in` names by path, file name or soname. A line with `slot` is one of its slots, with \
      its state and where it leads.
      """,
    words: [words],
    examples: [
      "why open /usr/bin/env",
      "why memcpy@GLIBC_2.14 --in libfoo.so",
      "why malloc --library libc.so.6 --in app plugins/*.so",
      "why malloc --pid 4711",
      "why open --pid 4711 --in libfoo.so",
    ])

  static let configuration = manualConfiguration

  private static let words = WordList(
    "reason",
    [
      "has-slots":
        """
      calls go through slots: a rebinding sees them. With the detail `data`, the only \
      slots are pointers in data
      """,
      "not-imported":
        """
      the file does not call it, or the compiler has put other code in its place: it \
      inlines `memcpy` and `strlen`
      """,
      "bound-inside":
        """
      the file has the function or the data itself: its own calls, if it makes any, go \
      through no slot
      """,
      "other-name":
        """
      calls may go by another name, which the file imports: `open64`, `__open_2`, \
      `openat`, or `puts` for `printf`. Rebind that too
      """,
      "other-version": "it has slots, but not of the version that was asked for",
      "other-library": "it has slots, but not of the library that was asked for",
      "not-defined": "none of the file's libraries defines the symbol",
      "may-be-inside":
        "nothing has the symbol, but the file may: it has no symbols that tell",
      "similar-name": "nothing has the symbol, but this function is exported, nearly of that name",
      "static-executable": "the file has no slots at all",
      "unchangeable": "the file asks for the symbol, but has no slot that can be changed",
      "sealed":
        """
      the slots lie in pages that mseal(2) keeps as they are. Of a file, with the detail \
      `requested`: glibc seals them from 2.43 on
      """,
      "bypassed":
        """
      calls jump past the slots, since glibc has rewritten the PLT. Run the program with \
      `GLIBC_TUNABLES=glibc.cpu.plt_rewrite=0`. Of a file, with the detail `possible`: the PLT is \
      marked for that (`DT_X86_64_PLT`)
      """,
    ])

  static var record: Record { WhyReport.record }

  @Argument(help: "The symbol, or symbol@version for the slots of one version.")
  var symbol: String

  @Argument(
    help: ArgumentHelp("The ELF files whose calls are asked about.", valueName: "file"))
  var given: [InputPaths] = []

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

  private var files: [FilePath] { (given + arguments).flatMap(\.paths) }

  func validate() throws {
    guard !sought.name.isEmpty else { throw ValidationError("The symbol has no name.") }
    if files.isEmpty, process.pid == nil {
      throw ValidationError("Missing expected argument '<file> ...' or '--pid <pid>'")
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
