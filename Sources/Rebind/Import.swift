#if os(Linux) && !REBIND_ELSEWHERE
/// A definition that images import: what the predicate of a batch over imports is asked about.
///
/// The corresponding C type is `crebind_import`.
public struct Import: Sendable, Hashable {
  /// The symbol's name.
  public let name: String
  /// The version of the definition; nil for none.
  public let version: String?
  /// The type of the definition. The corresponding field is the low four bits of `st_info`.
  public let type: SymbolType
  /// The kind of the slot that was found first.
  public let slotKind: SlotKinds
  /// The image of that slot.
  public let image: Image
  /// The image that defines the symbol.
  public let definer: Image

  /// True for a function. Other definitions are data, or say nothing, also where they lie in code.
  public var isFunction: Bool { type == .function || type == .indirectFunction }
}

extension Import: CustomStringConvertible {
  /// `open@GLIBC_2.2.5 of libc.so.6`.
  public var description: String {
    "\(name)\(version.map { "@\($0)" } ?? "") of \(definer.name)"
  }
}
#endif
