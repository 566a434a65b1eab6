import CLibelf
import Glibc

/// A table of relocations, and the symbols that they name.
package struct RelocationTable {
  /// How its entries are laid out.
  package enum Kind: String {
    /// With addends. The corresponding tag is `DT_RELA`.
    case addends = "RELA"
    /// With addends in place. The corresponding tag is `DT_REL`.
    case inPlace = "REL"
    /// Addresses alone, packed. The corresponding tag is `DT_RELR`.
    case relative = "RELR"
  }

  /// How its entries are written.
  enum Format {
    case plain(Kind)
    case packed(UnpackedEntries.Packing)
  }

  /// The section's name, or the tag that led to the table.
  package let name: String
  /// How its entries are laid out; of a packed table, once they are unpacked.
  package let kind: Kind
  /// Where its bytes are.
  package let offset: UInt64
  package let size: UInt64
  /// The section that it is for; nil if it is for the image.
  package let target: String?
  /// Nil without dynamic symbols: then no entry may name one.
  package let symbols: SymbolTable?
  @usableFromInline package let table: TableData
  @usableFromInline package let elfClass: ELFClass
  @usableFromInline package let layout: RelocationInfoLayout
  /// True if its entries were unpacked, of a table that glibc's and musl's loaders do not read.
  @usableFromInline package let isPacked: Bool

  /// The number of entries; of packed ones, the number of words.
  package var count: Int {
    switch (kind, elfClass) {
    case (.addends, .bits64): table.count(of: Rela64.self)
    case (.addends, .bits32): table.count(of: Rela32.self)
    case (.inPlace, .bits64): table.count(of: Rel64.self)
    case (.inPlace, .bits32): table.count(of: Rel32.self)
    case (.relative, .bits64): table.count(of: UInt64.self)
    case (.relative, .bits32): table.count(of: UInt32.self)
    }
  }

  /// The entry at an index below `count`; not for packed ones.
  @inlinable
  package subscript(index: Int) -> RelocationEntry {
    switch (kind, elfClass) {
    case (.addends, .bits64):
      RelocationEntry(table.entry(index, as: Rela64.self), layout)
    case (.addends, .bits32): RelocationEntry(table.entry(index, as: Rela32.self))
    case (_, .bits64): RelocationEntry(table.entry(index, as: Rel64.self), layout)
    case (_, .bits32): RelocationEntry(table.entry(index, as: Rel32.self))
    }
  }

  /// The addresses that the packed entries stand for; empty for others.
  ///
  /// An even word is an address. An odd one has a bit for each of the words that follow what came
  /// last.
  package var relativeAddresses: RelativeAddresses {
    RelativeAddresses(table: kind == .relative ? self : nil)
  }

  func word(at index: Int) -> UInt64 {
    elfClass == .bits64
      ? table.entry(index, as: UInt64.self) : UInt64(table.entry(index, as: UInt32.self))
  }

  /// Reads a table that lies at an offset, and throws unless it is inside the file. The names of
  /// its entries are not checked; see `check`.
  init(
    of file: ELFFile, named name: String, _ format: Format, at offset: UInt64, size: UInt64,
    target: String? = nil, symbols: SymbolTable? = nil
  ) throws(ELFFileError) {
    self.name = name
    self.offset = offset
    self.size = size
    self.target = target
    self.symbols = symbols
    elfClass = file.elfClass
    switch format {
    case .plain(let kind):
      self.kind = kind
      isPacked = false
      layout = RelocationInfoLayout(file.machine, file.byteOrder)
      let type =
        switch kind {
        case .addends: ELF_T_RELA
        case .inPlace: ELF_T_REL
        case .relative: file.elfClass == .bits64 ? ELF_T_XWORD : ELF_T_WORD
        }
      table = try file.reader.data(at: offset, size: size, as: type, field: name)
    case .packed(let packing):
      let (unpacked, kind) = try file.reader.unpacked(
        at: offset, size: size, packing, room: file.loadedSize, field: name)
      self.kind = kind
      isPacked = true
      // CREL has symbol and type apart, on all machines.
      layout =
        packing == .compact ? .usual : RelocationInfoLayout(file.machine, file.byteOrder)
      table = unpacked
    }
  }

  /// Throws unless each entry's symbol is there, and the first packed entry is an address.
  func check() throws(ELFFileError) {
    if kind == .relative {
      guard count == 0 || word(at: 0) & 1 == 0 else {
        throw table.error(.malformed("does not start with an address"), field: name)
      }
      return
    }
    _ = try entries { _ in false }
  }

  /// The indices of the entries that name a symbol, and are of a type that is wanted. Throws unless
  /// each entry's symbol is there.
  ///
  /// Most entries of most files name none. So what comes after looks at these alone.
  @inlinable
  package func entries(ofType isWanted: (UInt32) -> Bool) throws(ELFFileError) -> [Int] {
    switch (kind, elfClass) {
    case (.addends, .bits64):
      try entries(ofType: isWanted) { RelocationEntry($0 as Rela64, layout) }
    case (.addends, .bits32): try entries(ofType: isWanted) { RelocationEntry($0 as Rela32) }
    case (_, .bits64): try entries(ofType: isWanted) { RelocationEntry($0 as Rel64, layout) }
    case (_, .bits32): try entries(ofType: isWanted) { RelocationEntry($0 as Rel32) }
    }
  }

  @inlinable @inline(__always)
  package func entries<Entry: BitwiseCopyable>(
    ofType isWanted: (UInt32) -> Bool, decode: (Entry) -> RelocationEntry
  ) throws(ELFFileError) -> [Int] {
    let symbolCount = symbols?.count ?? 0
    var result: [Int] = []
    for index in 0..<table.count(of: Entry.self) {
      let entry = decode(table.entry(index, as: Entry.self))
      guard entry.symbol != 0 else { continue }
      guard entry.symbol < symbolCount else { throw error(forEntry: index) }
      if isWanted(entry.type) { result.append(index) }
    }
    return result
  }

  /// Says that an entry names a symbol that does not exist.
  package func error(forEntry index: Int) -> ELFFileError {
    table.error(
      .malformed("names the missing symbol \(self[index].symbol) in entry \(index)"),
      field: name, distance: isPacked ? 0 : index * (table.bytes.count / count))
  }
}

/// The addresses of packed relative relocations.
package struct RelativeAddresses: Sequence, IteratorProtocol {
  private let table: RelocationTable?
  private let count: Int
  private var index = 0
  /// The rest of the last bitmap, and the address that its lowest bit is for.
  private var bits: UInt64 = 0
  private var place: UInt64 = 0
  /// The address that the next bitmap starts with.
  private var base: UInt64 = 0

  init(table: RelocationTable?) {
    self.table = table
    count = table?.count ?? 0
  }

  package mutating func next() -> UInt64? {
    guard let table else { return nil }
    let size = UInt64(table.elfClass.addressSize)
    while bits == 0 {
      guard index < count else { return nil }
      let word = table.word(at: index)
      index += 1
      if word & 1 == 0 {
        base = table.elfClass.wrapped(word &+ size)
        return word
      }
      bits = word >> 1
      place = base
      base = table.elfClass.wrapped(base &+ (8 * size - 1) * size)
    }
    let step = UInt64(bits.trailingZeroBitCount)
    let address = place &+ step * size
    // The lowest bit is gone with this, even if it was the 64th.
    bits = (bits >> step) >> 1
    place = address &+ size
    return table.elfClass.wrapped(address)
  }
}
