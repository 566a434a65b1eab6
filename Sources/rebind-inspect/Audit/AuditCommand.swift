#if Commands

import ArgumentParser

/// The subcommand `audit`: has somebody changed what a process calls?
struct AuditCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", _superCommandName: "rebind-inspect",
    abstract: "Find what of a process's images is not as their files and the loader made it.",
    usage: "rebind-inspect audit [<options>] --pid <pid>",
    discussion: """
      A line is a finding; the exit status is 1 if there is one. The columns are:

        finding   what it is, see below
        address   link-time: of the slot, of the symbol, or of the range with its end behind -
        symbol    with its version
        target    where it leads, as image:symbol+offset
        expected  where the loader would lead it

      A rebound-slot does not lead to a definition of its symbol. A redirected-symbol has another \
      value in memory than in the file, so that what is bound later goes elsewhere. A \
      preloaded-image was not asked for by the program, and an interposed-slot leads to one. An \
      auditing-image is asked by the loader how to bind, by LD_AUDIT. A deleted-file or \
      replaced-file is no longer what is loaded. Pages are writable-code if they are executable \
      too, and open-relro if they should have been closed. Code is modified-code if it is not the \
      file's, as under a debugger's breakpoint.

      No finding is a slot that leads to another image's definition of the same name, as which one \
      the loader took leaves no trace, or a pointer in writable data. Images with findings are \
      looked at again, as one that is being loaded is not finished yet.

      EXAMPLES:
        rebind-inspect audit --pid 4711 || echo 'somebody is here'
        rebind-inspect audit --pid $(pidof -s sshd) --format json
      """)

  static var record: Record { AuditReport.record }

  @OptionGroup var process: ProcessOption

  @OptionGroup var output: OutputOptions

  func run() throws {
    var writer = ReportWriter(output.formatter(hasHeadings: true))
    writer.audit(process.pid)
    if writer.outcome.shownCount > 0 { writer.fail() }
    try writer.finish()
  }
}

#endif
