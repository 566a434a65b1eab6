#if os(Linux) && !REBIND_ELSEWHERE
internal import CRebind
#endif

/// Why counters could not be put in place. Nothing has changed then.
///
/// A function that cannot be counted is no error: see ``AllocationCounts/absences``.
public struct CountingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A kind of failure. Later versions may add some.
  ///
  /// Each constant stands for a `crebind_status`.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The constant's name, such as `outOfMemory`.
    public let rawValue: String

    /// A code with a name, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An image's dynamic table points outside of its segments, or to a table that cannot be read.
    public static let brokenImage = Code(rawValue: "brokenImage")
    /// `mmap` gave no memory.
    public static let outOfMemory = Code(rawValue: "outOfMemory")
    /// `mprotect` refused to change the protection of a page.
    public static let protection = Code(rawValue: "protection")
    /// Images kept being loaded or unloaded.
    public static let busy = Code(rawValue: "busy")
    /// `mprotect` refused to close pages, which stay writable. Everything else is as before.
    public static let leftOpen = Code(rawValue: "leftOpen")
    /// The kernel refused to close pages, and then to open others again, so that some slots lead to the
    /// counters still.
    public static let notTakenBack = Code(rawValue: "notTakenBack")
    /// Rebind works on Linux, and this is another system.
    public static let unsupported = Code(rawValue: "unsupported")

    /// The name.
    public var description: String { rawValue }
  }

  /// The kind of failure.
  public let code: Code
  /// The reason, as a sentence without a full stop.
  public let reason: String

  /// The reason.
  public var description: String { "cannot count: \(reason)" }
}

#if os(Linux) && !REBIND_ELSEWHERE
extension CountingError {
  init(status: CInt) {
    let status = crebind_status(rawValue: UInt32(bitPattern: status))
    self.init(code: Code(status), reason: String(cString: crebind_status_description(status)))
  }

  static let outOfMemory = CountingError(status: CInt(bitPattern: CREBIND_OUT_OF_MEMORY.rawValue))
}

extension CountingError.Code {
  /// The code for a status of the core; `status 4711` for one that counting is not known to meet.
  fileprivate init(_ status: crebind_status) {
    self =
      switch status {
      case CREBIND_BROKEN_IMAGE: .brokenImage
      case CREBIND_OUT_OF_MEMORY: .outOfMemory
      case CREBIND_PROTECTION: .protection
      case CREBIND_BUSY: .busy
      case CREBIND_LEFT_OPEN: .leftOpen
      case CREBIND_NOT_TAKEN_BACK: .notTakenBack
      default: Self(rawValue: "status \(status.rawValue)")
      }
  }
}
#endif
