#if Commands

import ArgumentParser
import ELFInspection

/// The subcommand `audit`: has somebody changed what a process calls?
struct AuditCommand: Subcommand {
  static let manual = Manual(
    name: "audit",
    abstract: "Find hooks, patched code and replaced files in a running process.",
    usage: [
      "[<options>] --pid <pid>"
    ],
    overview: """
      A line is a finding. On a terminal, a line says if nothing was found. The exit status is \
      1 if it finds anything, and 2 if the process or an image of it could not be read.

      A pointer in writable data is not reported: the program may assign it. A slot that leads \
      to another image's definition of the same name is not reported: the loader leaves no \
      trace of its choice. The relro pages of a static program are not reported: its own code \
      closes them, if any does.

      `audit` waits until the loader is idle, checks images with findings four more times, and \
      reports only what it finds every time. If the process has no processor meanwhile, a line on \
      standard error says so.
      """,
    words: [words],
    examples: [
      "audit --pid 4711; [ $? = 1 ] && echo 'somebody is here'",
      "audit --pid $(pidof -s sshd) --format json",
    ])

  static let configuration = manualConfiguration

  private static let words = WordList(
    "finding", ProcessFinding.Kind.allCases.map { ($0.rawValue, $0.meaning) })

  static var record: Record { AuditReport.record }

  @OptionGroup var process: ProcessOption

  @OptionGroup var readability: DemangleOption

  @OptionGroup var output: OutputOptions

  func run() throws {
    let demangling = readability.value
    let rows = RowShape(AuditReport.row, [.always] + demangling.presences)
    var writer = ReportWriter(output.formatter(rows, hasHeadings: true))
    writer.audit(process.pid, demangling)
    if output.format == .text, !writer.outcome.hasFailed, writer.outcome.shownCount == 0 {
      let count = writer.outcome.readCount
      TextStyle(output.color).tell(
        "\(count) \(count == 1 ? "image" : "images"), nothing found", in: &writer.output)
    }
    writer.outcome.hasFinding = writer.outcome.shownCount > 0
    try writer.finish()
  }
}

extension ProcessFinding.Kind {
  fileprivate var meaning: String {
    switch self {
    case .reboundSlot: "a slot that leads to no definition of its symbol: a hook"
    case .redirectedSymbol:
      """
      a symbol with another value or type in memory than in the file, so that later \
      bindings go elsewhere
      """
    case .redirectedTable:
      """
      a table of symbols, names or hashes that the loader finds elsewhere than in the file: a copy, \
      which may lead later bindings elsewhere
      """
    case .rewrittenPointer:
      """
      a pointer to code, in pages that are read-only once relocated, that leads elsewhere than in \
      the file: a hook in a table of functions, as a C++ vtable
      """
    case .preloadedImage:
      """
      an image that was loaded in front of the libraries that the program needs, as by \
      `LD_PRELOAD`
      """
    case .auditingImage: "an image that the loader asks how it binds symbols, as by `LD_AUDIT`"
    case .interposedSlot:
      "a slot that leads to a preloaded image, though another image defines the symbol too"
    case .deletedFile: "an image whose file is gone"
    case .replacedFile: "an image whose path leads to another file, as after an upgrade"
    case .writableCode: "pages that are writable and executable"
    case .modifiedCode:
      """
      code that differs from the file, as under a debugger's breakpoint, or from the kernel's own
      """
    case .openRelro: "pages that should be read-only once relocated, and are writable"
    }
  }
}

#endif
