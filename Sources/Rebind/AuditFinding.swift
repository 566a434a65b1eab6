#if os(Linux) && !REBIND_ELSEWHERE
/// A slot that does not lead where the loader would have bound it: who else has
/// hooked this process?
///
/// The corresponding C type is `crebind_finding`.
public struct AuditFinding: Sendable, Hashable {
  /// The image that the slot is in.
  public var image: Image
  /// The symbol's name.
  public var symbol: String
  /// The version that the image asks for; nil for none.
  public var version: String?
  /// The slot's link-time address: add the image's load bias for the one in memory.
  public var address: UInt64
  /// One of the three kinds.
  public var kind: SlotKinds
  /// Where the slot leads.
  public var target: Target
  /// The run-time address that the loader would have bound; 0 for none.
  public var expected: UInt64
  /// `us` for a replacement of an active rebinding of this copy of Rebind, or
  /// `someoneElse`.
  public var reboundBy: Rebinder
}

extension AuditFinding: CustomStringConvertible {
  /// `libcurl.so.4: 0x3fd8 jumpSlot open → my_open in libtrace.so, rebound by someone else`.
  public var description: String {
    "\(image.name): \(hexadecimal(address)) \(kind) \(symbol) → \(target), rebound by \(reboundBy)"
  }
}

extension Image {
  /// Compares every slot of every loaded image with what the loader would bind.
  ///
  /// Pointers in writable data are skipped: the program may assign them. A slot that
  /// leads to another definition of its own symbol's name is no finding.
  ///
  /// - Throws: `RebindError` with the code `outOfMemory` or `busy`.
  /// - Complexity: O(relocations of all images).
  ///
  /// The corresponding C function is `crebind_audit`.
  public static func audit() throws(RebindError) -> [AuditFinding] { try auditImages() }
}
#endif
