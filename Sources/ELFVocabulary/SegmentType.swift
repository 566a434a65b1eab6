#if os(Linux) && !REBIND_ELSEWHERE
/// The purpose of a segment.
///
/// The corresponding field is `p_type`.
public struct SegmentType: RawRepresentable, Sendable, Hashable {
  public var rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Not used. The corresponding constant is `PT_NULL`.
  public static let null = Self(rawValue: 0)
  /// Mapped into memory. The corresponding constant is `PT_LOAD`.
  public static let load = Self(rawValue: 1)
  /// The dynamic table. The corresponding constant is `PT_DYNAMIC`.
  public static let dynamic = Self(rawValue: 2)
  /// The path of the loader. The corresponding constant is `PT_INTERP`.
  public static let interpreter = Self(rawValue: 3)
  /// Notes, such as the build-id. The corresponding constant is `PT_NOTE`.
  public static let note = Self(rawValue: 4)
  /// The program headers themselves. The corresponding constant is `PT_PHDR`.
  public static let programHeaders = Self(rawValue: 6)
  /// The initial thread-local data. The corresponding constant is `PT_TLS`.
  public static let threadLocal = Self(rawValue: 7)
  /// The table for unwinding. The corresponding constant is `PT_GNU_EH_FRAME`.
  public static let exceptionFrame = Self(rawValue: 0x6474_e550)
  /// Whether the stack is executable. The corresponding constant is `PT_GNU_STACK`.
  public static let stack = Self(rawValue: 0x6474_e551)
  /// Read-only once relocated. The corresponding constant is `PT_GNU_RELRO`.
  public static let relro = Self(rawValue: 0x6474_e552)
  /// Properties such as IBT and BTI. The corresponding constant is `PT_GNU_PROPERTY`.
  public static let property = Self(rawValue: 0x6474_e553)

  /// The constant without its `PT_`, as readelf has it; nil if it has no name here.
  public var name: String? {
    switch self {
    case .null: "NULL"
    case .load: "LOAD"
    case .dynamic: "DYNAMIC"
    case .interpreter: "INTERP"
    case .note: "NOTE"
    case .programHeaders: "PHDR"
    case .threadLocal: "TLS"
    case .exceptionFrame: "GNU_EH_FRAME"
    case .stack: "GNU_STACK"
    case .relro: "GNU_RELRO"
    case .property: "GNU_PROPERTY"
    default: nil
    }
  }
}

extension SegmentType: CustomStringConvertible {
  /// The name, or else the number: `LOAD`, `0x6474e554`.
  public var description: String { name ?? hexadecimal(rawValue) }
}
#endif
