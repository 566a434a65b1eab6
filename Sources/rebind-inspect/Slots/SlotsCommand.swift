#if Commands

import ArgumentParser
import ELFInspection
import Rebind
import RebindFiles

/// The subcommand `slots`: through which words an image's calls to others go, and where they lead.
struct SlotsCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "slots", _superCommandName: "rebind-inspect",
    abstract: "List the words that the loader fills with the addresses of symbols.",
    usage: """
      rebind-inspect slots [<options>] <file> ...
      rebind-inspect slots [<options>] --pid <pid>
      """,
    discussion: """
      A rebinding changes these words. The columns of text are address, relocation, kind \
      (jumpSlot, globDat, or absolute for a pointer in data), section, binding (lazy, or now for \
      what is bound when the file is loaded), relro, what it takes to change the word (store, or \
      mprotect in front of it), addend and symbol@version; - stands for none.

      Of a process there are four more: the state (null, unresolved, original, rebound, or \
      assigned for a pointer in writable data that leads elsewhere), the word, where it leads, as \
      image:symbol+offset, and where calls jump that pass the slot by. A slot is original if it \
      leads to any definition of its symbol.

      Section headers are not needed: the slots are found as the loader finds them.

      EXAMPLES:
        rebind-inspect slots --name malloc libfoo.so
        rebind-inspect slots --name 'open*' --kind jumpSlot /usr/bin/env
        rebind-inspect slots libfoo.so | awk '$5 == "lazy" { print $NF }'
        rebind-inspect slots --format jsonl libfoo.so | jq '.slots[].needs'
        rebind-inspect slots --pid 4711 --state rebound
      """)

  static var record: Record { SlotReport.record }

  @OptionGroup var selection: SlotOptions

  @Option(
    help: ArgumentHelp(
      "Only the slots of a process in this state. Several are alternatives.",
      valueName: "state"))
  var state: [ProcessSlot.State] = []

  @OptionGroup var options: InputOrProcessOptions

  func validate() throws {
    guard state.isEmpty || options.pid != nil else {
      throw ValidationError("--state is for --pid: the slots of a file hold nothing yet.")
    }
  }

  func run() throws {
    let selection = selection.selection
    var writer = ReportWriter(
      options.output.formatter(hasHeadings: options.pid != nil || options.files.count > 1))
    if let pid = options.pid {
      read(pid, selection, &writer)
    } else {
      writer.read(options.files) { file throws(ELFFileError) in
        try SlotReport(of: file, selection)
      }
    }
    try writer.finish()
  }

  private func read(_ pid: Int32, _ selection: SlotSelection, _ writer: inout ReportWriter) {
    writer.readImages(of: pid) { image, scope throws(ELFFileError) -> ProcessSlotReport? in
      guard let found = try scope.slots(of: image, where: { selection.contains($0, of: $1) })
      else { return nil }
      let slots =
        state.isEmpty ? found.slots : found.slots.filter { state.contains($0.state) }
      guard !slots.isEmpty else { return nil }
      return try ProcessSlotReport(
        of: image, pid: pid,
        ProcessSlots(symbols: found.symbols, types: found.types, slots: slots))
    }
  }
}

extension ProcessSlot.State: ExpressibleByArgument {}

#endif
