extension UnpackedEntries {
  /// CREL, as the generic ABI proposes it and LLVM writes it. A header has the number of entries,
  /// whether they have addends, and how far offsets are shifted. Each entry has its difference from
  /// the one before it.
  convenience init(
    compact table: TableData, _ elfClass: ELFClass, field: String
  ) throws(ELFFileError) {
    var numbers = PackedNumbers(table, from: 0, field: field)
    let header = try numbers.unsigned()
    let (count, hasAddends, shift) = (header >> 3, header & 4 != 0, header & 3)
    // An entry takes a byte at least.
    guard count <= table.bytes.count else {
      throw numbers.error("has \(count) entries in \(table.bytes.count) bytes")
    }
    try self.init(hasAddends ? .addends : .inPlace, elfClass, count: count, of: table, field: field)
    let flagBits: UInt64 = hasAddends ? 3 : 2
    let symbolShift: UInt64 = elfClass == .bits64 ? 32 : 8
    let (lastSymbol, lastType): (UInt64, UInt64) =
      elfClass == .bits64 ? (0xffff_ffff, 0xffff_ffff) : (0xff_ffff, 0xff)
    var (offset, symbol, type, addend) = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
    for _ in 0..<count {
      let first = try numbers.byte()
      offset &+= UInt64(first & 0x7f) >> flagBits
      if first & 0x80 != 0 { offset &+= try numbers.unsigned() << (7 - flagBits) }
      // The differences may wrap in 32 bits.
      if first & 1 != 0 { symbol = (symbol &+ (try numbers.signed())) & 0xffff_ffff }
      if first & 2 != 0 { type = (type &+ (try numbers.signed())) & 0xffff_ffff }
      if first & 4 != 0, hasAddends { addend &+= try numbers.signed() }
      guard symbol <= lastSymbol, type <= lastType else {
        throw numbers.error("names symbol \(symbol) and type \(type), beyond those of its class")
      }
      append(offset: offset << shift, info: symbol << symbolShift | type, addend: addend)
    }
  }
}
