#if Commands

/// A raw value of a file that the format gives a name to.
///
/// A value without a name is written as the range that it lies in and its distance from there,
/// `LOOS+2` or `LOPROC+0`, and outside of the reserved ranges as `UNKNOWN+7`. So the raw value
/// can always be told from the text.
protocol ELFTerm: RawRepresentable, Equatable where RawValue: UnsignedInteger {
  /// The constant as readelf has it; nil if the value has no name.
  var term: StaticString? { get }

  /// The values that belong to operating systems, `LOOS` to `HIOS`.
  static var osSpecific: ClosedRange<RawValue>? { get }
  /// The values that belong to processors, `LOPROC` to `HIPROC`.
  static var processorSpecific: ClosedRange<RawValue>? { get }
}

extension ELFTerm {
  static var osSpecific: ClosedRange<RawValue>? { nil }
  static var processorSpecific: ClosedRange<RawValue>? { nil }

  /// The value's name, for what comes once a file.
  var word: String {
    if let term { return term.description }
    if let range = Self.osSpecific, range.contains(rawValue) {
      return "LOOS+\(rawValue - range.lowerBound)"
    }
    if let range = Self.processorSpecific, range.contains(rawValue) {
      return "LOPROC+\(rawValue - range.lowerBound)"
    }
    return "UNKNOWN+\(rawValue)"
  }
}

#endif
