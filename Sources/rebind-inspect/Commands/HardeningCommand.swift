import ArgumentParser
import RebindFiles

/// The subcommand `hardening`: what a file does against being attacked.
struct HardeningCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hardening", _superCommandName: "rebind-inspect",
    abstract: "Show what files do against being attacked, and what that means for rebinding.",
    discussion: """
      The columns of text are property, verdict, and what follows from it. The properties are \
      relro, binding, pie, stack, canary, fortify, branches, search-path, text-relocations, \
      writable-code and symbolic. An object file has fewer of them.

      EXAMPLES:
        rebind-inspect hardening /usr/bin/env
        rebind-inspect hardening *.so | grep '^relro none'
        rebind-inspect hardening --format jsonl *.so | jq '.hardening.relro'
      """)

  @OptionGroup var options: InputOptions

  func run() throws {
    try options.report { file throws(ELFFileError) in
      HardeningReport(subject: ReportSubject(file), hardening: try file.hardening)
    }
  }
}
