import Rebind

/// What the loader will make of the words of one section.
///
/// All is counted from link-time addresses, as if the image were loaded where it was linked to.
/// Then relative relocations without addends, packed or not, leave what is in place: the linker
/// has put the address there. Those with addends do not, as lld leaves zeros there. The
/// corresponding tags are `DT_RELA`, `DT_REL`, `DT_RELR` and `DT_JMPREL`.
struct FileRelocations: Sendable {
  /// What becomes of a word.
  enum Target: Sendable {
    /// This link-time address.
    case address(UInt64)
    /// What is in place and this.
    case added(UInt64)
    /// What is known only in a process: the value of this symbol, or of none.
    case unresolved(String)
  }

  private var targets: [UInt64: Target] = [:]

  /// What becomes of the word at an address; nil if it stays as it is.
  subscript(address: UInt64) -> Target? { targets[address] }

  /// Of the words at `size` addresses of a linked file.
  ///
  /// - Complexity: O(*n*), where *n* is the number of the file's relocations.
  init(of file: ELFFile, addresses start: UInt64, size: UInt64) throws(ELFFileError) {
    guard size > 0, let dynamic = try DynamicEntries(of: file) else { return }
    var symbols: SymbolTable?
    for table in try file.dynamicRelocationTables(dynamic) where table.kind != .relative {
      for index in 0..<table.count {
        let entry = table[index]
        guard entry.address >= start, entry.address - start < size,
          let rule = RelocationRule(entry.type, of: file.machine)
        else { continue }
        let target = try Self.target(of: entry, rule, file, &symbols) {
          table.error(forEntry: index)
        }
        if let target { targets[entry.address] = target }
      }
    }
  }

  /// Of the words of an object file's section: none is known before it is linked.
  init(ofObject file: ELFFile, section: Int) throws(ELFFileError) {
    for header in file.sectionHeaders where Int(header.info) == section {
      guard let kind = RelocationTable.Kind(header.type), kind != .relative else { continue }
      let table = try RelocationTable(
        of: file, named: "the relocations of section \(section)", kind, at: header.offset,
        size: header.size)
      for index in 0..<table.count { targets[table[index].address] = .unresolved("") }
    }
  }

  /// Nil for a word that stays as it is.
  private static func target(
    of entry: RelocationEntry, _ rule: RelocationRule, _ file: ELFFile,
    _ symbols: inout SymbolTable?, noSymbol: () -> ELFFileError
  ) throws(ELFFileError) -> Target? {
    switch rule {
    case .relative:
      return entry.addend.map { .address(file.elfClass.wrapped(UInt64(bitPattern: $0))) }
    case .unknown:
      return .unresolved("")
    case .symbolic where entry.symbol == 0:
      // No symbol: the addend alone.
      return entry.addend.map { .address(file.elfClass.wrapped(UInt64(bitPattern: $0))) }
    case .symbolic, .symbol:
      if symbols == nil { symbols = try SymbolTable(of: file) }
      guard let table = symbols, entry.symbol < table.count else { throw noSymbol() }
      let symbol = table[entry.symbol]
      guard symbol.isDefined, symbol.type != .indirectFunction, symbol.type != .threadLocal
      else {
        let name = table.name(of: symbol).prefix { $0 != 0 }
        return .unresolved(String(decoding: name, as: UTF8.self))
      }
      if case .symbol = rule { return .address(symbol.value) }
      guard let addend = entry.addend else { return .added(symbol.value) }
      return .address(file.elfClass.wrapped(symbol.value &+ UInt64(bitPattern: addend)))
    }
  }
}
