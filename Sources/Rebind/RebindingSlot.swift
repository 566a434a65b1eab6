#if os(Linux) && !REBIND_ELSEWHERE
/// One slot that a rebinding would change, or has changed.
///
/// The corresponding C type is `crebind_slot_info`.
public struct RebindingSlot: Sendable, Hashable {
  /// The image that the slot is in.
  public var image: Image
  /// The symbol's name.
  public var symbol: String
  /// The version that the image asks for; nil for none.
  public var version: String?
  /// The link-time address: add the image's load bias for the one in memory.
  public var address: UInt64
  /// One of the three kinds.
  public var kind: SlotKinds
  /// The word in the slot now.
  public var current: UInt64
  /// The word that the rebinding stores: the replacement's address plus the addend.
  public var replacement: UInt64
  /// The run-time address of the function that the slot leads to without the
  /// rebinding; 0 for none.
  public var original: UInt64
  /// The loader had not bound the slot when the rebinding was applied, or planned.
  public var wasLazilyUnresolved: Bool
  /// The slot lies in the `PT_GNU_RELRO` range, which is read-only once relocated.
  public var isRelro: Bool

  /// True if the slot leads to the replacement now.
  public var isRebound: Bool { current == replacement }
}

extension RebindingSlot: CustomStringConvertible {
  /// `libcurl.so.4: 0x3fd8 jumpSlot open@GLIBC_2.2.5, 0x7f… in place of 0x7f…`.
  public var description: String {
    let name = version.map { "\(symbol)@\($0)" } ?? symbol
    return "\(image.name): \(hexadecimal(address)) \(kind) \(name), "
      + "\(hexadecimal(replacement)) in place of \(hexadecimal(original))"
  }
}
#endif
