#if os(Linux) && !REBIND_ELSEWHERE
/// A pointer-sized word that the loader has filled with a symbol's address, in an image of this
/// process.
///
/// ``RebindingSlot`` is another type: it has the word that a rebinding stores and the one that it
/// replaces, and no relocation.
///
/// The corresponding C type is `crebind_slot_contents`.
public struct Slot: Sendable, Hashable {
  /// The content of a loaded image's slot at the time of the look.
  public struct State: Sendable, Hashable {
    /// The word in the slot.
    public var word: UInt64
    /// Where the word leads, less the addend if the loader adds that; nil if the
    /// slot is lazily unresolved, or holds NULL.
    public var target: Target?
    /// A jump slot that still leads to the loader's resolver, through its own image's PLT.
    public var isLazilyUnresolved: Bool
    /// The party that overwrote the loader's word in the slot.
    public var reboundBy: Rebinder
  }

  /// The link-time address, `r_offset`: add the load bias for the one in memory.
  public var address: UInt64
  /// One of the three kinds.
  public var kind: SlotKinds
  /// The relocation that the loader fills the slot by: the type in `r_info`.
  public var relocation: RelocationType
  /// The symbol's name.
  public var symbol: String
  /// The version that the image asks for; nil for none.
  public var version: String?
  /// The relocation's addend in bytes, `r_addend`, also where the loader ignores it.
  /// nil where the relocation is a REL, whose addend was in the slot before the loader
  /// filled it.
  public var addend: Int64?
  /// The slot lies in the `PT_GNU_RELRO` range, which is read-only once relocated.
  public var isRelro: Bool
  /// Its content at the time of the look.
  public var state: State
}

extension Slot: CustomStringConvertible {
  /// `0x3fd8 jumpSlot open@GLIBC_2.2.5 → open in libc.so.6`.
  public var description: String {
    var text = "\(hexadecimal(address)) \(kind) \(symbol)"
    if let version { text += "@\(version)" }
    if state.isLazilyUnresolved { return text + " → the loader's resolver" }
    guard let target = state.target else { return text + " → NULL" }
    text += " → \(target)"
    return state.reboundBy == .nobody ? text : text + ", rebound by \(state.reboundBy)"
  }
}
#endif
