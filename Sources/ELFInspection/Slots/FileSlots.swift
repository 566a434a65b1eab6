package import Rebind
package import RebindFiles

/// The slots of a file: the words that the loader fills with the addresses of symbols.
///
/// They are found as the loader finds them, by the dynamic table. A relocation of a local, internal
/// or hidden symbol fills no slot, because the loader binds the symbol to the image itself. Nor
/// does one of thread-local data. The corresponding tags are `DT_RELA`, `DT_REL` and `DT_JMPREL`.
/// For packed relocations they are `DT_ANDROID_RELA` and `DT_ANDROID_REL`; for MIPS, the tag
/// `DT_MIPS_GOTSYM` also counts.
package struct FileSlots {
  /// The dynamic symbols; nil if the file has none. Then it has no slots either.
  package let symbols: SymbolTable?
  package let types: SlotTypes
  /// The tables of relocations, each with the indices of the entries that may be slots.
  @usableFromInline package let tables: [(entries: RelocationTable, slots: [Int])]
  /// The slots that have no relocation; nil except for MIPS.
  @usableFromInline package let globalOffsets: GlobalOffsets?
  @usableFromInline package let isBoundNow: Bool
  /// The kinds of slot for which the loader adds the addend.
  @usableFromInline package let added: SlotKinds
  @usableFromInline package let relro: Range<UInt64>
  /// The addresses of the segments that are not writable.
  @usableFromInline package let readOnly: AddressRanges
  /// The bytes that hold in-place addends; nil if no table has such addends.
  @usableFromInline package let words: SegmentBytes?

  /// Finds the tables. Throws if the symbol of an entry does not exist, or if the file is a core
  /// file.
  ///
  /// - Parameters:
  ///   - original: The file of an image in memory, where the addends that were in place are gone; nil
  ///     if it is not known.
  ///   - loader: The loader of the process; nil for the one that the file asks for.
  /// - Complexity: O(relocations + symbols).
  package init(
    of file: ELFFile, addendsFrom original: ELFFile? = nil, loader: LoaderKind? = nil
  ) throws(ELFFileError) {
    try file.checkIsNoCore()
    let types = SlotTypes(of: file.machine, file.elfClass)
    self.types = types
    var tables: [(entries: RelocationTable, slots: [Int])] = []
    if let dynamic = try DynamicEntries(of: file), let symbols = try SymbolTable(of: file) {
      self.symbols = symbols
      for table in try file.dynamicRelocationTables(dynamic, symbols: symbols)
      where table.kind != .relative {
        tables.append((table, try table.entries { types.kind(of: $0) != nil }))
      }
      globalOffsets = try GlobalOffsets(of: file, dynamic, symbols)
      isBoundNow =
        dynamic[.bindNow] != nil
        || DynamicFlags(rawValue: dynamic[.flags] ?? 0).contains(.bindNow)
        || DynamicFlags1(rawValue: dynamic[.flags1] ?? 0).contains(.bindNow)
        || file.bindsAtLoad
    } else {
      symbols = nil
      globalOffsets = nil
      isBoundNow = false
    }
    self.tables = tables
    var added: SlotKinds = [.absolute]
    let kind = loader ?? LoaderKind(of: file)
    for one in [SlotKinds.jumpSlot, .globDat]
    where types.addsAddend(of: one, isLazy: one == .jumpSlot && !isBoundNow, kind) {
      added.insert(one)
    }
    self.added = added
    relro = file.segments.first { $0.type == .relro }?.addresses ?? 0..<0
    readOnly = AddressRanges(
      file.segments.filter { $0.type == .load && !$0.permissions.contains(.write) }
        .map(\.addresses))
    let source = file.reader.loadBias == nil ? file : original
    if let source, tables.contains(where: { $0.entries.kind == .inPlace }) {
      words = try SegmentBytes(of: source)
    } else {
      words = nil
    }
  }

  /// Calls `body` with each slot, in the order of the tables.
  ///
  /// - Complexity: O(slots).
  @inlinable
  package func forEach(_ body: (FileSlot) -> Void) {
    guard let symbols else { return }
    for (entries, slots) in tables {
      for index in slots {
        let entry = entries[index]
        guard let kind = types.kind(of: entry.type), symbols.isBound(entry.symbol) else { continue }
        var addend = entry.addend
        if addend == nil, kind == .absolute, let words {
          addend = words.signedWord(at: entry.address)
        }
        // Without one, the word in place counts in data alone.
        let counted = added.contains(kind) && (addend != nil || kind == .absolute) ? addend : 0
        body(
          slot(
            entry.address, kind, entry.symbol, addend, added: counted,
            isLazy: kind == .jumpSlot && !isBoundNow, isPacked: entries.isPacked))
      }
    }
    guard let globalOffsets else { return }
    for (symbol, address) in globalOffsets.places where symbols.isBound(symbol) {
      let isLazy = !isBoundNow && globalOffsets.isLazy(symbols[symbol])
      body(slot(address, .globDat, symbol, 0, added: 0, isLazy: isLazy, isPacked: false))
    }
  }

  @inlinable @inline(__always)
  package func slot(
    _ address: UInt64, _ kind: SlotKinds, _ symbol: Int, _ addend: Int64?, added: Int64?,
    isLazy: Bool, isPacked: Bool
  ) -> FileSlot {
    let isRelro = relro.contains(address)
    return FileSlot(
      address: address, kind: kind, symbol: symbol, addend: addend, added: added, isLazy: isLazy,
      isRelro: isRelro, isProtected: isRelro || readOnly.index(of: address) != nil,
      isPacked: isPacked)
  }

  /// Throws if the file's symbols may have slots that are not known here.
  package func checkAreKnown(_ file: ELFFile) throws(ELFFileError) {
    guard symbols == nil || types.isKnown else {
      throw file.reader.error(
        .unsupported("is for a machine whose slots are not known"), field: nil, at: nil)
    }
  }
}

/// The global part of MIPS' offset table: a word for each symbol from a certain one on, which the loader fills
/// with its address without a relocation.
package struct GlobalOffsets {
  private let start: UInt64
  private let symbols: Range<Int>
  private let elfClass: ELFClass

  /// Nil for another machine, or without such a table. The corresponding tags are `DT_PLTGOT`,
  /// `DT_MIPS_LOCAL_GOTNO`, `DT_MIPS_GOTSYM` and `DT_MIPS_SYMTABNO`.
  init?(
    of file: ELFFile, _ dynamic: DynamicEntries, _ symbols: SymbolTable
  ) throws(ELFFileError) {
    func value(_ tag: Int64) -> UInt64? { dynamic[DynamicTag(rawValue: tag)] }
    guard file.machine == .mips, let table = dynamic[.pltGOT],
      let localCount = value(0x7000_000a), let first = value(0x7000_0013)
    else { return nil }
    let end = min(UInt64(symbols.count), value(0x7000_0011) ?? .max)
    guard first <= end, localCount <= UInt64(UInt32.max) else {
      throw file.reader.error(
        .malformed("is \(first), and DT_MIPS_LOCAL_GOTNO \(localCount), of \(end) symbols"),
        field: "DT_MIPS_GOTSYM", at: nil)
    }
    elfClass = file.elfClass
    start = elfClass.wrapped(table &+ localCount * UInt64(elfClass.addressSize))
    self.symbols = Int(first)..<Int(end)
  }

  /// The index of each symbol, and the address of its word.
  package var places: some Sequence<(symbol: Int, address: UInt64)> {
    symbols.lazy.map { symbol in
      let distance = UInt64(symbol - symbols.lowerBound) * UInt64(elfClass.addressSize)
      return (symbol, elfClass.wrapped(start &+ distance))
    }
  }

  /// True if the word leads to a stub at first, which binds the function at its first call.
  package func isLazy(_ symbol: SymbolEntry) -> Bool {
    !symbol.isDefined && symbol.type == .function && symbol.value != 0
  }
}
