/// The order of the bytes in a file's words.
///
/// The corresponding field is `e_ident[EI_DATA]`.
public enum ByteOrder: UInt8, Sendable {
  /// The corresponding constant is `ELFDATA2LSB`.
  case little = 1
  /// The corresponding constant is `ELFDATA2MSB`.
  case big = 2

  /// This machine's.
  public static var host: Self { UInt16(littleEndian: 1) == 1 ? .little : .big }
}
