import ArgumentParser
import Rebind
import RebindFiles

/// The subcommand `slots`: through which words a file's calls to others go.
struct SlotsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "slots",
    abstract: "List the words that the loader fills with the addresses of symbols.",
    discussion: """
      A rebinding changes these words. The columns of text are address, relocation, kind \
      (jumpSlot, globDat, or absolute for a pointer in data), section, binding (lazy, or now for \
      what is bound when the file is loaded), relro, what it takes to change the word (store, or \
      mprotect in front of it), addend and symbol@version; - stands for none.

      Section headers are not needed: the slots are found as the loader finds them.

      EXAMPLES:
        rebind-inspect slots --name malloc libfoo.so
        rebind-inspect slots --name 'open*' --kind jumpSlot /usr/bin/env
        rebind-inspect slots libfoo.so | awk '$5 == "lazy" { print $NF }'
        rebind-inspect slots --format json libfoo.so | jq '.files[].slots[] | select(.relro)'
      """)

  @OptionGroup var selection: SlotOptions

  @OptionGroup var options: InputOptions

  func run() throws {
    let selection = selection.selection
    try options.report { file throws(ELFFileError) in
      try SlotReport(of: file, selection)
    }
  }
}
