#if os(Linux) && !REBIND_ELSEWHERE
/// The kind of thing that a symbol names.
///
/// The corresponding field is the low four bits of `st_info`.
public struct SymbolType: RawRepresentable, Sendable, Hashable {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Not said. The corresponding constant is `STT_NOTYPE`.
  public static let none = Self(rawValue: 0)
  /// Data. The corresponding constant is `STT_OBJECT`.
  public static let object = Self(rawValue: 1)
  /// Code. The corresponding constant is `STT_FUNC`.
  public static let function = Self(rawValue: 2)
  /// A section. The corresponding constant is `STT_SECTION`.
  public static let section = Self(rawValue: 3)
  /// A source file. The corresponding constant is `STT_FILE`.
  public static let file = Self(rawValue: 4)
  /// Data that is not yet allocated. The corresponding constant is `STT_COMMON`.
  public static let common = Self(rawValue: 5)
  /// Thread-local data. The corresponding constant is `STT_TLS`.
  public static let threadLocal = Self(rawValue: 6)
  /// A resolver that chooses a function at load. The corresponding constant is
  /// `STT_GNU_IFUNC`.
  public static let indirectFunction = Self(rawValue: 10)

  /// The constant without its `STT_`, and `IFUNC` for `STT_GNU_IFUNC`, as readelf
  /// has it; nil if it has no name.
  public var name: String? {
    switch self {
    case .none: "NOTYPE"
    case .object: "OBJECT"
    case .function: "FUNC"
    case .section: "SECTION"
    case .file: "FILE"
    case .common: "COMMON"
    case .threadLocal: "TLS"
    case .indirectFunction: "IFUNC"
    default: nil
    }
  }
}

extension SymbolType: CustomStringConvertible {
  /// The name, or else the number: `FUNC`, `type 13`.
  public var description: String { name ?? "type \(rawValue)" }
}
#endif
