/// The numbers of a packed table, one after the other: LEB128, signed or not.
struct PackedNumbers {
  private let table: TableData
  private let field: String
  private(set) var position: Int

  /// Reads the numbers of a table from a byte on.
  init(_ table: TableData, from position: Int, field: String) {
    self.table = table
    self.field = field
    self.position = position
  }

  /// The corresponding form is ULEB128.
  mutating func unsigned() throws(ELFFileError) -> UInt64 { try number().bits }

  /// The corresponding form is SLEB128.
  mutating func signed() throws(ELFFileError) -> UInt64 {
    let (bits, width, isNegative) = try number()
    return isNegative && width < 64 ? bits | ~0 << UInt64(width) : bits
  }

  /// The next byte alone.
  mutating func byte() throws(ELFFileError) -> UInt8 {
    guard position < table.bytes.count else { throw error("ends inside an entry") }
    defer { position += 1 }
    return table.bytes[position]
  }

  /// An error at the byte that was read last.
  func error(_ how: String) -> ELFFileError {
    table.error(.malformed(how), field: field, distance: max(0, position - 1))
  }

  private mutating func number() throws(ELFFileError) -> (
    bits: UInt64, width: Int, isNegative: Bool
  ) {
    var (bits, width) = (UInt64(0), 0)
    while true {
      let byte = try byte()
      guard width < 64 else { throw error("has a number of more than 64 bits") }
      bits |= UInt64(byte & 0x7f) << UInt64(width)
      width += 7
      if byte & 0x80 == 0 { return (bits, width, byte & 0x40 != 0) }
    }
  }
}
