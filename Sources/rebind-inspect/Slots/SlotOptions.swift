#if Commands

import ArgumentParser
import Rebind

/// The arguments that say which slots are shown.
struct SlotOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Only the slots of symbols of this name: a shell pattern, or between slashes a regular \
      expression. Several are alternatives.
      """, valueName: "pattern"))
  var name: [NamePattern] = []

  @Option(help: "Only the slots of this kind. Several are alternatives.")
  var kind: [SlotKindName] = []

  func selection(_ readable: ReadableNames) -> SlotSelection {
    SlotSelection(
      kinds: kind.isEmpty ? .all : kind.reduce(into: []) { $0.formUnion($1.kind) }, names: name,
      readable: readable)
  }
}

/// The values of `--kind`.
enum SlotKindName: String, CaseIterable, ExpressibleByArgument {
  case jumpSlot, globDat, absolute

  var kind: SlotKinds {
    switch self {
    case .jumpSlot: .jumpSlot
    case .globDat: .globDat
    case .absolute: .absolute
    }
  }
}

#endif
