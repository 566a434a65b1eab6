public import RebindCounting

/// A file descriptor that was left open: by a run of a sweep, or by what ``findingDescriptorLeaks(allowing:reach:body:)``
/// looks at.
public struct LeakedDescriptor: Sendable, Hashable {
  /// The call that opened a descriptor.
  public struct Opening: Sendable, Hashable {
    /// The function that was called, such as `open`.
    public let function: String
    /// The backtrace: the caller first.
    public let frames: [AllocationCounts.Frame]
    /// Whether frames are missing at the end.
    public let isCut: Bool
  }

  /// The descriptor's number.
  public let number: CInt
  /// The file that it is open on, as `/proc/self/fd` says.
  public let path: String
  /// The call that opened it; nil for a sweep's, which looks at the process from outside.
  public let opening: Opening?
}

extension LeakedDescriptor: CustomStringConvertible {
  /// The number and the path. With an opening, a line for each of its frames follows.
  ///
  /// ```
  /// leaked descriptor 5 (/etc/hostname), opened by open
  ///   loads() at LoadTests.swift:4 (the program)
  /// ```
  public var description: String {
    let text = "leaked descriptor \(number) (\(path))"
    return opening.map { "\(text), opened by \($0)" } ?? text
  }
}

extension LeakedDescriptor.Opening: CustomStringConvertible {
  /// The function, and a line for each frame.
  public var description: String {
    ([function] + frames.lines(limit: 16, isCut: isCut)).joined(separator: "\n")
  }
}
