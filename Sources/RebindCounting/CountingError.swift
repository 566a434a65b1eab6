internal import CRebind

/// Why counters could not be put in place. Nothing has changed then.
///
/// A function that cannot be counted is no error: see ``AllocationCounts/absences``.
public struct CountingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reason, as a sentence without a full stop.
  public let reason: String

  /// The reason.
  public var description: String { "cannot count: \(reason)" }

  init(status: CInt) {
    reason = String(
      cString: crebind_status_description(crebind_status(rawValue: UInt32(bitPattern: status))))
  }

  static let outOfMemory = CountingError(status: CInt(bitPattern: CREBIND_OUT_OF_MEMORY.rawValue))
}
