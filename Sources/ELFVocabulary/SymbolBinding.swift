#if os(Linux) && !REBIND_ELSEWHERE
/// The binding of a symbol: which images can see it, and which definition wins.
///
/// The corresponding field is the high four bits of `st_info`.
public struct SymbolBinding: RawRepresentable, Sendable, Hashable {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The corresponding constant is `STB_LOCAL`.
  public static let local = Self(rawValue: 0)
  /// The corresponding constant is `STB_GLOBAL`.
  public static let global = Self(rawValue: 1)
  /// A reference that may stay undefined. The corresponding constant is `STB_WEAK`.
  public static let weak = Self(rawValue: 2)
  /// One in the whole process. The corresponding constant is `STB_GNU_UNIQUE`.
  public static let unique = Self(rawValue: 10)

  /// The constant without its `STB_`, and `UNIQUE` for `STB_GNU_UNIQUE`, as readelf
  /// has it; nil if it has no name.
  public var name: String? {
    switch self {
    case .local: "LOCAL"
    case .global: "GLOBAL"
    case .weak: "WEAK"
    case .unique: "UNIQUE"
    default: nil
    }
  }
}

extension SymbolBinding: CustomStringConvertible {
  /// The name, or else the number: `WEAK`, `binding 13`.
  public var description: String { name ?? "binding \(rawValue)" }
}
#endif
