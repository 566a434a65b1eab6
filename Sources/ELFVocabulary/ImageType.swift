#if os(Linux) && !REBIND_ELSEWHERE
/// A kind of ELF file.
///
/// The corresponding field is `e_type`.
public struct ImageType: RawRepresentable, Sendable, Hashable {
  public var rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Not known: the header is not in memory. The corresponding constant is `ET_NONE`.
  public static let none = Self(rawValue: 0)
  /// A program that is loaded at the address that it was linked for. The corresponding constant is
  /// `ET_EXEC`.
  public static let executable = Self(rawValue: 2)
  /// A library, or a position-independent program. The corresponding constant is
  /// `ET_DYN`.
  public static let sharedObject = Self(rawValue: 3)

  /// The constant without its `ET_`, as readelf has it; nil if it has no name here.
  public var name: String? {
    switch self {
    case .none: "NONE"
    case .executable: "EXEC"
    case .sharedObject: "DYN"
    default: nil
    }
  }
}

extension ImageType: CustomStringConvertible {
  /// The name, or else the number: `DYN`, `type 65024`.
  public var description: String { name ?? "type \(rawValue)" }
}
#endif
