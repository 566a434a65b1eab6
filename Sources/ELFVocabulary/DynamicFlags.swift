#if os(Linux) && !REBIND_ELSEWHERE
/// How the loader treats an image: the value of `DynamicTag.flags`.
///
/// The corresponding constants begin with `DF_`.
public struct DynamicFlags: OptionSet, Sendable, Hashable {
  public var rawValue: UInt64
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Names may contain `$ORIGIN`. The corresponding constant is `DF_ORIGIN`.
  public static let origin = Self(rawValue: 1)
  /// References are looked up in the image itself first. The corresponding
  /// constant is `DF_SYMBOLIC`.
  public static let symbolic = Self(rawValue: 2)
  /// Relocations change pages that are not writable. The corresponding constant
  /// is `DF_TEXTREL`.
  public static let textRelocations = Self(rawValue: 4)
  /// All jump slots are bound at load. The corresponding constant is `DF_BIND_NOW`.
  public static let bindNow = Self(rawValue: 8)
  /// Thread-local data is taken from the static block. The corresponding constant
  /// is `DF_STATIC_TLS`.
  public static let staticThreadLocal = Self(rawValue: 16)
}

extension DynamicFlags: CustomStringConvertible {
  /// The constants without their `DF_`: `ORIGIN BIND_NOW`; a bit without a name in
  /// hexadecimal.
  public var description: String {
    flagNames(rawValue, ["ORIGIN", "SYMBOLIC", "TEXTREL", "BIND_NOW", "STATIC_TLS"])
  }
}

/// The names of the bits that are set, from the lowest on; a bit without a name as
/// a number.
func flagNames(_ flags: UInt64, _ names: [String?]) -> String {
  var texts: [String] = []
  for bit in 0..<64 where flags >> UInt64(bit) & 1 != 0 {
    let name = bit < names.count ? names[bit] : nil
    texts.append(name ?? hexadecimal(UInt64(1) << UInt64(bit)))
  }
  return texts.joined(separator: " ")
}
#endif
