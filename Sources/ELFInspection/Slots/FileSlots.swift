package import Rebind
package import RebindFiles

/// The slots of a file: the words that the loader fills with the addresses of symbols.
///
/// They are found as the loader finds them, by the dynamic table. A relocation of a local, internal
/// or hidden symbol is none, as the loader binds it to the image itself, nor is one of thread-local
/// data. The corresponding tags are `DT_RELA`, `DT_REL` and `DT_JMPREL`, and those of packed ones,
/// `DT_ANDROID_RELA` and `DT_ANDROID_REL`.
package struct FileSlots {
  /// Nil if the file has none, and so no slots.
  package let symbols: SymbolTable?
  package let types: SlotTypes
  /// The tables of relocations, each with the indices of the entries that may be slots.
  @usableFromInline package let tables: [(entries: RelocationTable, slots: [Int])]
  @usableFromInline package let isBoundNow: Bool
  /// The kinds whose addends the loader adds.
  @usableFromInline package let added: SlotKinds
  @usableFromInline package let relro: Range<UInt64>
  /// The addresses of the segments that are not writable.
  @usableFromInline package let readOnly: AddressRanges
  /// For addends that are in place; nil if no table has such.
  @usableFromInline package let words: SegmentBytes?

  /// Finds the tables, and throws unless each entry's symbol is there, and for a core file.
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
      isBoundNow =
        dynamic[.bindNow] != nil
        || DynamicFlags(rawValue: dynamic[.flags] ?? 0).contains(.bindNow)
        || DynamicFlags1(rawValue: dynamic[.flags1] ?? 0).contains(.bindNow)
        || file.bindsAtLoad
    } else {
      symbols = nil
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
        guard let kind = types.kind(of: entry.type) else { continue }
        let symbol = symbols[entry.symbol]
        // STB_LOCAL, STT_TLS; STV_INTERNAL and STV_HIDDEN, which the loader binds to the image itself.
        guard symbol.binding.rawValue != 0, symbol.type.rawValue != 6,
          symbol.visibility.rawValue == 0 || symbol.visibility.rawValue == 3,
          symbols.name(of: symbol)[0] != 0
        else { continue }
        var addend = entry.addend
        if addend == nil, kind == .absolute, let words {
          addend = words.signedWord(at: entry.address)
        }
        // Without one, the word in place counts in data alone.
        let counted = added.contains(kind) && (addend != nil || kind == .absolute) ? addend : 0
        let isRelro = relro.contains(entry.address)
        body(
          FileSlot(
            address: entry.address, kind: kind, symbol: entry.symbol, addend: addend,
            added: counted, isLazy: kind == .jumpSlot && !isBoundNow, isRelro: isRelro,
            isProtected: isRelro || readOnly.index(of: entry.address) != nil,
            isPacked: entries.isPacked))
      }
    }
  }
}
