/// The width of a file's addresses.
///
/// The corresponding field is `e_ident[EI_CLASS]`.
public enum ELFClass: UInt8, Sendable {
  /// The corresponding constant is `ELFCLASS32`.
  case bits32 = 1
  /// The corresponding constant is `ELFCLASS64`.
  case bits64 = 2

  /// The size of an address in bytes.
  public var addressSize: Int { self == .bits64 ? 8 : 4 }
}
