/// One call of a recorded function.
public struct RecordedCall: Sendable, Hashable {
  /// The function's name, as it was given to be recorded.
  public let function: String

  /// The words in the registers that integer and pointer arguments arrive in, six on
  /// x86-64 and eight on AArch64; those that the function does not take hold
  /// whatever was there.
  public let words: [UInt64]

  /// The texts of the arguments that point at one, such as the path of `open`; for
  /// the functions of C that deal with files and for `getenv`, else empty. NULL
  /// arguments are left out.
  public let texts: [String]
}

extension RecordedCall: CustomStringConvertible {
  public var description: String {
    "\(function)(\(texts.map(\.debugDescription).joined(separator: ", ")))"
  }
}
