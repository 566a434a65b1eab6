#if Commands

import ArgumentParser
import ELFInspection
import Glibc
import RebindFiles

/// The subcommand `who-imports`: which of many images call a symbol, and through which slots.
struct WhoImportsCommand: Subcommand {
  static let manual = Manual(
    name: "who-imports",
    abstract: "Find the images that import a symbol, and the slots that they reach it through.",
    usage: [
      "[<options>] <symbol> <path> ...",
      "[<options>] <symbol> --pid <pid>",
      "[<options>] --readable-name <name> <path> ...",
      "[<options>] --readable-name <name> --pid <pid>",
    ],
    overview: """
      A line is a slot, as `slots` shows it. An import without a slot has `-` in the columns of \
      a slot. With `--defines`, a line is a definition that others can bind to, as `symbols` \
      shows it.

      Directories are searched with all below them. Symbolic links below them are not followed, \
      files that are not ELF are passed over, and a file of several names is read once.

      `Documentation/JSON.md` describes the output of `--format json`. An installation has it \
      below `share/doc/rebind`.

      Slots tell who calls a symbol, not how often: `perf` or `ltrace` count calls.

      The exit status is 0 if something was found, and 1 if nothing was. It is 2 if a file could \
      not be read, which may hold it.
      """,
    words: [.slotStates],
    examples: [
      "who-imports malloc /usr/lib",
      "who-imports 'malloc@GLIBC_*' /usr/lib",
      "who-imports --format jsonl malloc /usr/lib | jq -r .path",
      "who-imports 'm*alloc' libfoo.so plugins",
      "who-imports --defines malloc /usr/lib",
      "who-imports --defines --readable-name 'Foo::foo' /usr/lib",
      "who-imports open --pid 4711",
    ])

  static let configuration = manualConfiguration

  static var record: Record { ImportReport.record }

  static var columns: [Declaration] { ImportReport.columns }

  @Argument(
    help: """
      The symbol, or symbol@version. Both may be shell patterns; between slashes, the symbol is \
      a regular expression.
      """)
  var symbol: String?

  @OptionGroup var readable: ReadableNameOption

  @OptionGroup var readability: DemangleOption

  @Flag(
    help: "Find the images that define the symbol for others, in place of those that import it.")
  var defines = false

  @Flag(help: "Show no progress bar and no summary.")
  var noProgress = false

  @Argument(
    help: ArgumentHelp(
      "The ELF files to read, and the directories to search.", valueName: "path"))
  var arguments: [InputPaths] = []

  @OptionGroup var list: FileListOptions

  @OptionGroup var process: ProcessInPlaceOption

  @OptionGroup var output: OutputOptions

  func validate() throws {
    _ = try query
    try process.validate(beside: paths, list, named: "path")
  }

  /// With readable names, the first argument is a path already.
  private var paths: [InputPaths] {
    (readable.readableName.isEmpty ? [] : symbol.map { [InputPaths(argument: $0)] } ?? [])
      + arguments
  }

  private var query: SymbolQuery {
    get throws {
      guard readable.readableName.isEmpty else {
        return SymbolQuery(readable: readable.readableName, text: "the readable name")
      }
      guard let symbol else { throw ValidationError("Missing expected argument '<symbol>'") }
      guard let query = SymbolQuery(argument: symbol) else {
        throw ValidationError("The value '\(symbol)' is invalid for '<symbol>'")
      }
      return query
    }
  }

  func run() throws {
    let query = try query
    let files = try list.files(behind: paths)
    let rows = RowShape(
      defines ? DefinitionReport.row : ImportReport.row,
      [.always] + readability.value.presences + (process.pid == nil || defines ? [] : [.ofProcess]))
    var writer = ReportWriter(output.formatter(rows, headings: .none))
    if let pid = process.pid {
      find(query, inProcess: pid, &writer)
    } else {
      find(query, files, &writer)
    }
    writer.outcome.hasFinding = writer.outcome.shownCount == 0
    let outcome = writer.outcome
    defer { tell(outcome, query) }
    try writer.finish()
  }

  private func find(_ symbol: SymbolQuery, _ files: [FilePath], _ writer: inout ReportWriter) {
    let entries = FileWalk(files, isEachOnce: true)
    let (defines, demangling) = (defines, readability.value)
    writer.forEach(
      entries.count, threads: ThreadCount.reading(entries.lazy.map(\.path)),
      progress: noProgress ? nil : ProgressBar()
    ) { index, writer in
      Self.find(symbol, defines, demangling, in: entries[index], &writer)
    }
  }

  private static func find(
    _ symbol: SymbolQuery, _ defines: Bool, _ demangling: Demangling, in entry: FileWalk.Entry,
    _ writer: inout ReportWriter
  ) {
    if defines {
      writer.read(entry) { file throws(ELFFileError) -> DefinitionReport? in
        DefinitionReport(in: try SymbolTable(of: file), of: ReportSubject(file), symbol, demangling)
      }
    } else {
      writer.read(entry) { file throws(ELFFileError) -> ImportReport? in
        try ImportReport(of: file, symbol, demangling)
      }
    }
  }

  private func find(
    _ symbol: SymbolQuery, inProcess pid: Int32, _ writer: inout ReportWriter
  ) {
    if defines {
      writer.readImages(of: pid) { image, scope throws(ELFFileError) -> DefinitionReport? in
        let checked = try image.checkedSymbols()
        return DefinitionReport(
          in: image.symbols ?? checked, of: ReportSubject(image.image), symbol, readability.value,
          process: (scope.pid, image.image.loadBias))
      }
    } else {
      writer.readImages(of: pid) { image, scope throws(ELFFileError) -> ImportReport? in
        try ImportReport(of: image, in: scope, symbol, readability.value)
      }
    }
  }

  /// Says on a terminal what the search came to.
  private func tell(_ outcome: ReportOutcome, _ symbol: SymbolQuery) {
    guard !noProgress, output.format == .text, isatty(STDERR_FILENO) != 0 else { return }
    let kind = process.pid == nil ? "files" : "images"
    let count = "\(outcome.shownCount) of \(outcome.readCount) \(kind)"
    let others = outcome.folders.values.reduce(0) { $0 + $1.otherCount }
    var line = OutputBuffer(descriptor: STDERR_FILENO)
    line.append(
      line:
        "\(count) \(defines ? "define" : "import") \(symbol.text)\(others > 0 ? "; \(others) others are no ELF files" : "")"
    )
    line.append(text: "\n")
    line.flush()
  }
}

#endif
