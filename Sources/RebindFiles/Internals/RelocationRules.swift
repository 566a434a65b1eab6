import Rebind

/// What a relocation fills a word of data with.
enum RelocationRule {
  /// The load bias and the addend.
  case relative
  /// A symbol's value and the addend.
  case symbolic
  /// A symbol's value, whatever is in place, and the addend if the loader adds that: a jump slot,
  /// or an entry of the global offset table.
  case symbol(addsAddend: Bool)
  /// Something that is not known before it is loaded.
  case unknown
}

/// The rules of a machine.
struct RelocationRules {
  private let types: SlotTypes
  private let loader: LoaderKind
  private let relative: UInt32?

  init(of file: ELFFile) {
    types = SlotTypes(of: file.machine, file.elfClass)
    loader = LoaderKind(of: file)
    relative = RelocationNames.relative(of: file.machine)
  }

  /// The rule of a type of relocation; nil if it changes nothing.
  func rule(of type: UInt32) -> RelocationRule? {
    if type == 0 { return nil }
    if type == relative { return .relative }
    guard let kind = types.kind(of: type) else { return .unknown }
    if kind == .absolute { return .symbolic }
    // As if all was bound at load: what a word will be.
    return .symbol(addsAddend: types.addsAddend(of: kind, isLazy: false, loader))
  }
}
