#if Commands

import ArgumentParser
import ELFInspection
import Rebind
import RebindFiles
import Synchronization

/// The subcommand `requires`: on which systems does a file run, and which symbols say so?
struct RequiresCommand: FileSubcommand {
  static let manual = Manual(
    name: "requires",
    abstract:
      "Say which versions of libraries files need, for which symbols, and which systems have them.",
    overview: """
      For each library, a line has the highest version that is asked for and the symbols to \
      blame. Lines with `system` have the oldest release of each distribution, of those that are \
      known here, that has all of them: of x86-64, i386 and AArch64 alone. A distribution may have backported a version. \
      Versions that are needed weakly do not count: the loader goes on without them.

      Behind several files stands their maximum: for each library the highest version, with the file that \
      asks for it, and the oldest releases that have all. Tables and `jsonl` leave it out.

      With `--at-most`, a file that needs more is a line on standard error for each version, and \
      the exit status is 1. musl and static programs need no version of glibc. A prefix that \
      no file's versions have is an error, with the status 2, but for `GLIBC`, `GLIBCXX`, `CXXABI` \
      and `GCC`.

      With `--closure`, the libraries that the file needs count too, as `tree` finds them. One that is \
      missing is an error. The runtime libraries of the C library and of GCC do not count: each system \
      has its own.
      """,
    words: [words],
    examples: [
      "requires /usr/bin/env",
      "requires --at-most GLIBC_2.99 --at-most GLIBCXX_3.4.99 app",
      "requires --closure app | grep '^system'",
      "requires --format json libfoo.so | jq '.files[].requirements'",
    ])

  static let configuration = manualConfiguration

  private static let words = WordList(
    "kind", RequirementRow.Kind.allCases.map { ($0.rawValue, $0.meaning) })

  static var record: Record { RequirementReport.record }

  @Flag(help: "The libraries that the file needs count too.")
  var closure = false

  @Option(
    help: ArgumentHelp(
      "Fail if a version of this prefix is needed that is newer. Several are for several prefixes.",
      valueName: "version"))
  var atMost: [VersionLimit] = []

  @OptionGroup var readability: DemangleOption

  @OptionGroup var search: SearchOptions

  @Argument(help: .files) var arguments: [InputPaths] = []

  @OptionGroup var list: FileListOptions

  @OptionGroup var output: OutputOptions

  func run() throws {
    let limits = atMost.map(\.version)
    let together = Together()
    let demangling = readability.value
    let shape = RowShape(RequirementReport.row, [.always] + demangling.presences)
    guard closure else {
      return try report(rows: shape) { file throws(ELFFileError) in
        try RequirementReport(
          ReportSubject(file), [(file.reader.path, file)], limits: limits, demangling)
      } then: { report, writer in
        Self.tell(of: report, together, &writer)
      } end: { writer in
        together.end(&writer)
      }
    }
    let resolver = search.resolver
    var problems: [String] = []
    try output.reportInTurn(files(), rows: shape) { file throws(ELFFileError) in
      let graph = try resolver.graph(of: file)
      problems = graph.problems
      let libraries = graph.images.dropFirst().filter { !Self.isRuntime($0) }
      return try RequirementReport(
        ReportSubject(file), [(file.reader.path, file)] + libraries.map { ($0.path, $0.file) },
        limits: limits, demangling)
    } then: { report, writer in
      for problem in problems { writer.fail(report.subject.path, problem) }
      Self.tell(of: report, together, &writer)
    } end: { writer in
      together.end(&writer)
    }
  }

  private static func tell(
    of report: RequirementReport, _ together: Together, _ writer: inout ReportWriter
  ) {
    together.add(report)
    for excess in report.excesses { writer.find(report.subject.path, excess) }
    for warning in report.warnings { writer.warn(report.subject.path, warning) }
  }

  /// True for libraries that each system has its own of: the C library's and GCC's.
  private static func isRuntime(_ image: DependencyImage) -> Bool {
    let name = image.table.soname ?? image.name
    if name.hasPrefix("ld-linux") || name.hasPrefix("libc.musl-") { return true }
    return runtimeNames.contains(name)
  }

  private static let runtimeNames: Set<String> = [
    "libc.so.6", "libm.so.6", "libmvec.so.1", "libpthread.so.0", "libdl.so.2", "librt.so.1",
    "libresolv.so.2", "libutil.so.1", "libanl.so.1", "ld64.so.1", "ld64.so.2", "libc.so",
    "libgcc_s.so.1", "libstdc++.so.6", "libatomic.so.1",
  ]
}

/// The facts of all files together, found by several threads.
private final class Together: Sendable {
  private let state = Mutex(State())

  private struct State {
    /// The limits of prefixes that none of the files knows.
    var unknownLimits: [VersionName]?
    var maximum = RequirementMaximum()
  }

  func add(_ report: RequirementReport) {
    let others = report.unknownLimits
    state.withLock {
      $0.unknownLimits = $0.unknownLimits?.filter { others.contains($0) } ?? others
      $0.maximum.add(report)
    }
  }

  /// Hands over the maximum of several files, and writes a line for each limit that nothing knows.
  func end(_ writer: inout ReportWriter) {
    let state = state.withLock { $0 }
    if state.maximum.fileCount > 1 { writer.summary = state.maximum }
    for limit in state.unknownLimits ?? [] {
      let meant = KnownSystem.prefixes.sorted()
        .first { FunctionVariants.edits(between: limit.prefix, and: $0) > 0 }
      writer.fail(
        FilePath("--at-most \(limit.text)"),
        "no version that is needed starts with \(limit.prefix)_"
          + (meant.map { ". Did you mean \($0)?" } ?? ""))
    }
  }
}

/// A value of `--at-most`.
struct VersionLimit: ExpressibleByArgument {
  let version: VersionName

  init?(argument: String) {
    guard let version = VersionName(argument) else { return nil }
    self.version = version
  }
}

#endif
