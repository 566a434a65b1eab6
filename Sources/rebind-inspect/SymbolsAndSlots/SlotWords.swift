#if Commands

import ELFInspection

/// The part of a slot's line that most slots of its kind share with the slot in front of them: it is
/// written once, and then copied.
struct SlotWords {
  // The facts that it depends on, beside the kind.
  private let section: Int?
  private let isLazy: Bool
  private let isRelro: Bool
  private let isProtected: Bool
  let bytes: [UInt8]
  /// Where the bytes begin that stand behind the symbol and the addends.
  let split: Int

  init(_ slot: FileSlot, _ section: Int?, _ bytes: [UInt8], behind rest: [UInt8] = []) {
    self.section = section
    isLazy = slot.isLazy
    isRelro = slot.isRelro
    isProtected = slot.isProtected
    self.bytes = bytes + rest
    split = bytes.count
  }

  @inline(__always)
  func fit(_ slot: FileSlot, _ section: Int?) -> Bool {
    self.section == section && isLazy == slot.isLazy && isRelro == slot.isRelro
      && isProtected == slot.isProtected
  }
}

#endif
