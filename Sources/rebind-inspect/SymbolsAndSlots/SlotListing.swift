#if Commands

import ELFInspection
import Rebind
import RebindFiles

/// The words and places that the slots of one file are shown with.
struct SlotListing {
  let elfClass: ELFClass
  /// By the kinds' places.
  let kinds: [SlotKindNames]
  let sections: SectionPlaces
  var demangling = Demangling.none
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

extension SlotListing {
  /// Writes the members of a slot's object.
  ///
  /// - Parameter none: The value of a missing text.
  @inline(__always)
  func write(
    _ slot: FileSlot, _ symbols: SymbolTable, _ section: [UInt8]?, _ demangler: inout Demangler,
    none: StaticString = "null", in output: inout OutputBuffer
  ) {
    let names = kinds[slot.kind.place]
    output.reserve(64)
    output.append("\"address\":\"")
    output.append(hex: slot.address)
    output.append("\",\"relocation\":\"")
    names.relocation.withUnsafeBytes { output.append(name: $0, .json) }
    output.reserve(128)
    output.append("\",\"relocationValue\":")
    output.append(decimal: UInt64(names.type))
    output.append(",\"kind\":\"")
    output.append(names.kind)
    output.append("\",\"symbol\":\"")
    let symbol = symbols[slot.symbol]
    output.append(name: symbols.name(of: symbol), .json)
    output.reserve(64)
    output.append(0x22)
    if demangling != .none {
      output.append(demangledName: demangler.demangle(symbols.name(of: symbol)), none: none)
      output.reserve(64)
    }
    if let version = symbols.versions?.version(of: symbol, at: slot.symbol) {
      output.append(",\"version\":\"")
      output.append(name: symbols.strings.bytes(from: version.nameOffset), .json)
      output.reserve(64)
      output.append("\",\"addend\":")
    } else {
      output.append(",\"version\":")
      output.append(none)
      output.append(",\"addend\":")
    }
    output.append(decimalIfAny: slot.addend)
    output.reserve(64)
    output.append(",\"added\":")
    output.append(decimalIfAny: slot.added)
    if let section {
      output.append(",\"section\":\"")
      section.withUnsafeBytes { output.append(name: $0, .json) }
      output.reserve(128)
      output.append(0x22)
    } else {
      output.reserve(128)
      output.append(",\"section\":")
      output.append(none)
    }
    output.append(slot.isLazy ? ",\"binding\":\"lazy\"" : ",\"binding\":\"now\"")
    output.append(slot.isRelro ? ",\"relro\":true" : ",\"relro\":false")
    output.append(slot.isProtected ? ",\"needs\":\"mprotect\"" : ",\"needs\":\"store\"")
  }
}

#endif
