#if Commands

import ArgumentParser
import ELFInspection
import Glibc
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
      "[<options>] --readable-name <name> <file> ...",
      "[<options>] --readable-name <name> --pid <pid>",
    ],
    overview: """
      The symbol may be the readable name of mangled ones of C++, Swift or Rust (not v0), such as \
      `Shop::price(int)` or `Shop::price`. Each of these has an answer then, behind a line with \
      `symbol` and both names.

      The first line is the answer. Several reasons may hold: `has-slots` with `not-defined` \
      is of a symbol that none of the file's libraries has. Then `dlopen` names \
      one that defines it, by a note that the file or a library of it has about `dlopen`.

      Of a process, each image that has to do with the symbol has an answer, or each that \
      `--in` names by path, file name or soname. A line with `slot` is one of its slots, with \
      its state and where it leads. Each image is asked about by itself: the answer does not say \
      that two plug-ins have a function of the name, where a rebinding leaves the slots of one alone.
      """,
    words: [words],
    examples: [
      "why open /usr/bin/env",
      "why memcpy@GLIBC_2.14 --in libfoo.so",
      "why malloc --library libc.so.6 --in app plugins/*.so",
      "why malloc --pid 4711",
      "why open --pid 4711 --in libfoo.so",
      "why 'Shop::price' app",
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
      "dlopen":
        """
      the file or one of its libraries may load this library with `dlopen`, by a note, and it defines \
      the symbol. Calls of a pointer from `dlsym` go through no slot
      """,
      "dlopen-missing":
        """
      such libraries may define it, but they are not found here, or cannot be read. Of a process: its \
      images may load them, and have not
      """,
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
  var symbol: String?

  @OptionGroup var readable: ReadableNameOption

  @Argument(
    help: ArgumentHelp(
      "The ELF files whose calls are asked about, and folders of such files.", valueName: "file"))
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

  @OptionGroup var list: FileListOptions

  @OptionGroup var output: OutputOptions

  private var named: [InputPaths] {
    // With readable names, the first argument is a file already.
    let first = readable.readableName.isEmpty ? [] : symbol.map { [InputPaths(argument: $0)] } ?? []
    return first + given + arguments
  }

  func validate() throws {
    guard symbol != nil || !readable.readableName.isEmpty else {
      throw ValidationError("Missing expected argument '<symbol>'")
    }
    guard !readable.readableName.isEmpty || !sought.name.isEmpty else {
      throw ValidationError("The symbol has no name.")
    }
    guard sought.version?.isEmpty != true else {
      throw ValidationError("The symbol has no version behind its @.")
    }
    if named.isEmpty, list.filesFrom.isEmpty, process.pid == nil {
      throw ValidationError("Missing expected argument '<file> ...' or '--pid <pid>'")
    }
  }

  func run() throws {
    let files = try list.files(behind: named)
    if let pid = process.pid { return try run(on: pid, files) }
    let resolver = search.resolver
    let entries = FileWalk(files, isEachOnce: false)
    var writer = ReportWriter(
      output.formatter(RowShape(WhyReport.row), hasHeadings: entries.areSeveral))
    for entry in entries {
      var rest: [WhyReport] = []
      var warnings: [String] = []
      writer.read(entry) { file throws(ELFFileError) -> WhyReport? in
        let graph = try resolver.graph(of: file)
        let scope = SymbolScope(of: graph)
        var (own, others): ([SymbolTable], [SymbolTable]) = ([], [])
        own = [try SymbolTable(of: file), try linkersTable(of: file)].compactMap { $0 }
        scope.forEachTable { others.append($0) }
        var reports: [WhyReport] = []
        for symbol in symbols(in: [(own, false), (others, false)]) {
          reports.append(
            WhyReport(
              subject: ReportSubject(file), symbol: symbol,
              diagnoses: try graph.diagnose(symbol, in: scope), problems: scope.problems,
              isReadable: isFound(symbol)))
        }
        rest = Array(reports.dropFirst())
        warnings = graph.gaps
        return reports.first
      } then: { report, writer in
        for other in rest { writer.write(other) }
        for problem in report.problems { writer.fail(report.subject.path, problem) }
        for warning in warnings { writer.warn(report.subject.path, warning) }
      }
    }
    writer.tellFolders(of: entries)
    try finish(files, &writer)
  }

  private func run(on pid: Int32, _ files: [FilePath]) throws {
    var writer = ReportWriter(output.formatter(RowShape(WhyReport.row), hasHeadings: true))
    do throws(ELFFileError) {
      let tables = try tables(of: pid)
      for symbol in symbols(in: [(tables, true), (tables, false)]) {
        answer(symbol, of: pid, files, &writer)
      }
    } catch {
      writer.write(error)
    }
    try finish(files, &writer)
  }

  /// The symbols of the images of a process.
  private func tables(of pid: Int32) throws(ELFFileError) -> [SymbolTable] {
    var tables: [SymbolTable] = []
    do throws(ELFFileError) {
      for image in try ProcessScope(pid: pid).ordinaryImages {
        if let table = image.symbols { tables.append(table) }
        if let file = image.file, let table = try linkersTable(of: file) { tables.append(table) }
      }
    } catch {
      // The answer itself says what cannot be read.
      if isReadable { throw error }
    }
    return tables
  }

  /// The symbols that a linker reads. They tell of no other names if they are damaged.
  private func linkersTable(of file: ELFFile) throws(ELFFileError) -> SymbolTable? {
    guard !isReadable else { return try SymbolTable(ofLinkersIn: file) }
    return try? SymbolTable(ofLinkersIn: file)
  }

  private func finish(_ files: [FilePath], _ writer: inout ReportWriter) throws {
    if writer.outcome.shownCount == 0, !writer.outcome.hasFailed {
      for path in files.isEmpty ? [FilePath("/proc/\(process.pid ?? 0)")] : files {
        writer.fail(path, "nothing there, nor in its libraries, has such a readable name")
      }
    }
    try writer.finish()
  }

  private func answer(
    _ sought: SoughtSymbol, of pid: Int32, _ files: [FilePath], _ writer: inout ReportWriter
  ) {
    // The program's report, which is shown if no image has to do with the symbol.
    var first: WhyReport?
    var isAnswered = false
    var isThere = false
    var missing = files
    var warnings: [(path: FilePath, text: String)] = []
    writer.readImages(of: pid) { image, scope throws(ELFFileError) -> WhyReport? in
      isThere = true
      if !files.isEmpty {
        guard files.contains(where: { image.isNamed($0) }) else { return nil }
        missing.removeAll { image.isNamed($0) }
      } else if image.isLoader {
        return nil
      }
      let found = try scope.diagnose(sought, of: image)
      warnings += found.warnings
      var report = try WhyReport(of: image, pid: pid, sought, found)
      report.isReadable = isFound(sought)
      first = first ?? report
      guard !files.isEmpty || found.isConcerned else { return nil }
      isAnswered = true
      return report
    }
    if !isAnswered, let first { writer.write(first) }
    for warning in warnings { writer.warn(warning.path, warning.text) }
    for path in missing where isThere {
      writer.write(ELFFileError(path: path, reason: .notLoaded(process: pid)))
    }
  }

  /// True if the symbol can only be a readable name.
  private var isReadable: Bool {
    !readable.readableName.isEmpty || sought.name.contains { "(<: ".contains($0) }
  }

  /// True if a symbol was found by its readable name.
  private func isFound(_ symbol: SoughtSymbol) -> Bool { symbol.name != sought.name }

  /// The symbols that are asked about: the one of this name if any table has it, or else those of the
  /// readable name in the first tables that have any.
  ///
  /// - Parameter groups: Tables, and whether only their imports count.
  private func symbols(in groups: [(tables: [SymbolTable], importsOnly: Bool)]) -> [SoughtSymbol] {
    let sought = sought
    let isPattern = !readable.readableName.isEmpty
    let wanted = isPattern ? readable.names : ReadableNames(name: sought.name)
    if !isPattern, groups.contains(where: { $0.tables.contains { $0.has(sought.name) } }) {
      return [sought]
    }
    var names: Set<String> = []
    for group in groups where names.isEmpty {
      for table in group.tables {
        for index in table.indices where !group.importsOnly || !table[index].isDefined {
          guard wanted.matches(table.name(of: table[index])) else { continue }
          let name = table.strings.string(at: table[index].nameOffset)
          // In the names of linkers' symbols the version may stand, which the loader's have apart.
          if !name.dropFirst().contains("@") { names.insert(name) }
        }
      }
    }
    if names.isEmpty, !isReadable { return [sought] }
    return names.sorted().map {
      SoughtSymbol(name: $0, version: sought.version, library: sought.library)
    }
  }

  private var sought: SoughtSymbol {
    let isPattern = !readable.readableName.isEmpty
    var sought = SoughtSymbol(isPattern ? "" : RawArguments.text(symbol ?? ""))
    sought.library = library.map { RawArguments.text($0) }
    return sought
  }
}

extension SymbolTable {
  /// True if a symbol has this name.
  fileprivate func has(_ name: String) -> Bool {
    name.withCString { wanted in
      indices.contains { index in
        let found = self.name(of: self[index]).assumingMemoryBound(to: CChar.self).baseAddress
        return found.map { strcmp($0, wanted) == 0 } ?? false
      }
    }
  }
}

#endif
