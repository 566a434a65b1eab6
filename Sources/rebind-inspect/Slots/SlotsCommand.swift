#if Commands

import ArgumentParser
import ELFInspection
import Rebind
import RebindFiles

/// The subcommand `slots`: through which words an image's calls to others go, and where they lead.
struct SlotsCommand: FileOrProcessSubcommand {
  static let manual = Manual(
    name: "slots",
    abstract: "List the words that the loader fills with the addresses of symbols.",
    usage: usage,
    overview: """
      A rebinding changes these words. The slots are found as the loader finds them, whether \
      or not the file has section headers.
      """,
    words: [.slotStates],
    examples: [
      "slots --name malloc libfoo.so",
      "slots --name 'open*' --kind jumpSlot /usr/bin/env",
      "slots libfoo.so | awk '$5 == \"lazy\" { print $NF }'",
      "slots --format jsonl libfoo.so | jq '.slots[].needs'",
      "slots --pid 4711 --state rebound",
    ])

  static let configuration = manualConfiguration

  static var record: Record { SlotReport.record }

  @OptionGroup var selection: SlotOptions

  @OptionGroup var readable: ReadableNameOption

  @OptionGroup var readability: DemangleOption

  @Option(
    help: ArgumentHelp(
      "Only the slots of a process in this state. Several are alternatives.",
      valueName: "state"))
  var state: [ProcessSlot.State] = []

  @Argument(help: .files) var arguments: [InputPaths] = []

  @OptionGroup var list: FileListOptions

  @OptionGroup var process: ProcessInPlaceOption

  @OptionGroup var output: OutputOptions

  func validate() throws {
    try validateInput()
    guard state.isEmpty || pid != nil else {
      throw ValidationError("--state is for --pid: the slots of a file hold nothing yet.")
    }
  }

  func run() throws {
    let selection = selection.selection(readable.names)
    let files = try files()
    let demangling = readability.value
    var writer = ReportWriter(formatter(SlotReport.row, demangling.presences, of: files))
    if let pid = pid {
      read(pid, selection, &writer)
    } else {
      writer.read(files) { file throws(ELFFileError) in
        try SlotReport(of: file, selection, demangling)
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
        ProcessSlots(symbols: found.symbols, types: found.types, slots: slots), readability.value)
    }
  }
}

extension ProcessSlot.State: ExpressibleByArgument {}

#endif
