#if os(Linux) && !REBIND_ELSEWHERE
/// Whether other images may bind to a symbol.
///
/// The corresponding field is the low two bits of `st_other`.
public struct SymbolVisibility: RawRepresentable, Sendable, Hashable {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The binding decides. The corresponding constant is `STV_DEFAULT`.
  public static let `default` = Self(rawValue: 0)
  /// The corresponding constant is `STV_INTERNAL`.
  public static let `internal` = Self(rawValue: 1)
  /// Not seen by other images. The corresponding constant is `STV_HIDDEN`.
  public static let hidden = Self(rawValue: 2)
  /// Seen by other images, which cannot take its place. The corresponding constant
  /// is `STV_PROTECTED`.
  public static let protected = Self(rawValue: 3)

  /// The constant without its `STV_`; nil if it has no name.
  public var name: String? {
    switch self {
    case .default: "DEFAULT"
    case .internal: "INTERNAL"
    case .hidden: "HIDDEN"
    case .protected: "PROTECTED"
    default: nil
    }
  }
}

extension SymbolVisibility: CustomStringConvertible {
  /// The name, or else the number: `HIDDEN`, `visibility 4`.
  public var description: String { name ?? "visibility \(rawValue)" }
}
#endif
