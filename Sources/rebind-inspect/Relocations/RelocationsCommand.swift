#if Commands

import ArgumentParser
import RebindFiles

/// The subcommand `relocations`: what the loader or a linker changes in a file.
struct RelocationsCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "relocations", _superCommandName: "rebind-inspect",
    abstract: "List the relocations of files, with the symbols and versions that they name.",
    discussion: """
      The columns of text are table, address, type, addend and symbol@version; - stands for none, \
      and for an addend that is the word in place. The table is the tag that led to it, or a \
      section that the dynamic table does not know of. In object files the address is an offset \
      in the section that the table is for.

      Packed relative relocations are shown one by one. Section headers are not needed.

      EXAMPLES:
        rebind-inspect relocations libfoo.so | grep ' malloc@'
        rebind-inspect relocations libfoo.so | awk '{ print $3 }' | sort | uniq -c
        rebind-inspect relocations --format jsonl foo.o | jq '.relocations[].target'
      """)

  static var record: Record { RelocationReport.record }

  @OptionGroup var options: InputOptions

  func run() throws {
    try options.report { file throws(ELFFileError) in
      try RelocationReport(of: file)
    }
  }
}

#endif
