/// What applying or restoring a rebinding did to the slots.
public struct RebindingReport: Sendable, Hashable {
  /// The slots that hold our value now, or after a restore their former one.
  public var changedSlots: Int
  /// The images that these slots are in.
  public var changedImages: Int
  /// The slots that were right already, or after a restore those whose image is
  /// no longer loaded.
  public var unchangedSlots: Int
  /// The slots that were left alone, because they hold what someone else stored.
  public var skippedSlots: Int
}

extension RebindingReport: CustomStringConvertible {
  public var description: String {
    var text = "\(changedSlots) slots in \(changedImages) images changed"
    if unchangedSlots > 0 { text += ", \(unchangedSlots) unchanged" }
    if skippedSlots > 0 { text += ", \(skippedSlots) skipped" }
    return text
  }
}
