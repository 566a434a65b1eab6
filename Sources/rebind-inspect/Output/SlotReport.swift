#if Commands

import ELFInspection
import Rebind
import RebindFiles

/// What `slots` found in a file, and which part of that is asked for.
struct SlotReport: ReportBody {
  let subject: ReportSubject
  let slots: FileSlots
  let selection: SlotSelection
  let listing: SlotListing

  init(of file: ELFFile, _ selection: SlotSelection) throws(ELFFileError) {
    subject = ReportSubject(file)
    slots = try FileSlots(of: file)
    self.selection = selection
    listing = SlotListing(
      elfClass: file.elfClass, kinds: SlotKindNames.all(slots.types, file.machine),
      sections: try SectionPlaces(of: file))
  }

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    guard let symbols = slots.symbols else {
      return style.tell("no dynamic table, and so no slots", in: &output)
    }
    let columns = SlotColumns(of: listing, style)
    var hasTitles = false
    var cursor = listing.sections.cursor
    slots.forEach { slot in
      guard selection.contains(slot, of: symbols) else { return }
      if !hasTitles { output.append(text: style.line(of: columns.titles)) }
      hasTitles = true
      columns.write(
        slot, listing.kinds[slot.kind.place], cursor.name(at: slot.address), in: &output)
      columns.writeSymbol(slot.symbol, of: symbols, in: &output)
      output.reserve(1)
      output.append(0x0a)
    }
  }
}

/// What the slots of one file are shown with.
struct SlotListing {
  let elfClass: ELFClass
  /// By the kinds' places.
  let kinds: [SlotKindNames]
  let sections: SectionPlaces
}

/// Which slots are asked for.
struct SlotSelection {
  /// All kinds, unless some were named.
  let kinds: SlotKinds
  /// Any of these names; empty for all.
  let names: [NamePattern]

  @inline(__always)
  func contains(_ slot: FileSlot, of symbols: SymbolTable) -> Bool {
    guard kinds.contains(slot.kind) else { return false }
    if names.isEmpty { return true }
    let name = symbols.name(of: symbols[slot.symbol])
    return names.contains { $0.matches(name) }
  }
}

/// The words that stand for a kind of slot in a file.
struct SlotKindNames {
  /// `R_X86_64_JUMP_SLOT`, and a zero byte.
  let relocation: [UInt8]
  /// The number of the relocation type.
  let type: UInt32
  let kind: StaticString

  /// By the kinds' places.
  static func all(_ types: SlotTypes, _ machine: Machine) -> [Self] {
    let names = RelocationNames(of: machine)
    let kinds: [(SlotKinds, StaticString)] = [
      (.jumpSlot, "jumpSlot"), (.globDat, "globDat"), (.absolute, "absolute"),
    ]
    return kinds.map { kind, word in
      let type = types.type(of: kind) ?? 0
      return Self(relocation: names.text(of: type) + [0], type: type, kind: word)
    }
  }
}

extension SlotKinds {
  /// The number of the one kind.
  @inline(__always)
  var place: Int { rawValue.trailingZeroBitCount }
}

#endif
