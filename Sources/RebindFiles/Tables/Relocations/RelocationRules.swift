internal import CRebind
package import ELFVocabulary
import Rebind

/// The value that a relocation stores in a word of data.
enum RelocationRule {
  /// The load bias and the addend.
  case relative
  /// A symbol's value and the addend.
  case symbolic
  /// A symbol's value, plus the addend if the loader adds it. The word's former content does not
  /// count. This is the rule of jump slots and of entries of the global offset table.
  case symbol(addsAddend: Bool)
  /// A value that is not known before the file is loaded.
  case unknown
}

/// The rules of a machine.
package struct RelocationRules {
  private let types: SlotTypes
  private let loader: LoaderKind
  private let relative: UInt32?

  init(of file: ELFFile) {
    types = SlotTypes(of: file.machine, file.elfClass)
    loader = LoaderKind(of: file)
    relative = Self.relativeType(of: file.machine)
  }

  /// The rule of a type of relocation; nil if it changes nothing.
  func rule(of type: UInt32) -> RelocationRule? {
    if type == 0 { return nil }
    if type == relative { return .relative }
    guard let kind = types.kind(of: type) else { return .unknown }
    if kind == .absolute { return .symbolic }
    // The final content of the word: all is bound at load.
    return .symbol(addsAddend: types.addsAddend(of: kind, isLazy: false, loader))
  }

  /// The type that adds the load bias to a word; nil if it is not known.
  package static func relativeType(of machine: Machine) -> UInt32? {
    let known =
      crebind_machine_with(Int32(machine.rawValue), 64)
      ?? crebind_machine_with(Int32(machine.rawValue), 32)
    return known.flatMap { UInt32(exactly: $0.pointee.relative) }
  }
}
