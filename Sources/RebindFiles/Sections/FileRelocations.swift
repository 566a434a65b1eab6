import Rebind

/// The effects of the loader's relocations on the words of one section.
///
/// All is counted from link-time addresses, as if the image were loaded where it was linked to.
/// Then relative relocations without addends, packed or not, leave the word as it is: the linker
/// has put the address there. Relative relocations with addends do not, because lld leaves zeros
/// there. The corresponding tags are `DT_RELA`, `DT_REL`, `DT_RELR` and `DT_JMPREL`.
struct FileRelocations: Sendable {
  /// The future content of a word.
  enum Target: Sendable {
    /// This link-time address.
    case address(UInt64)
    /// The word in place plus this.
    case added(UInt64)
    /// The value of this symbol, or of none: known only in a process.
    case unresolved(String)
  }

  private var targets: [UInt64: Target] = [:]

  /// The future content of the word at an address; nil if it stays the same.
  subscript(address: UInt64) -> Target? { targets[address] }

  /// Finds the effects on the words at `size` addresses of a linked file.
  ///
  /// - Complexity: O(*n*), where *n* is the number of the file's relocations.
  init(of file: ELFFile, addresses start: UInt64, size: UInt64) throws(ELFFileError) {
    guard size > 0, let dynamic = try DynamicEntries(of: file) else { return }
    let rules = RelocationRules(of: file)
    var symbols: SymbolTable?
    for table in try file.dynamicRelocationTables(dynamic) where table.kind != .relative {
      for index in 0..<table.count {
        let entry = table[index]
        guard entry.address >= start, entry.address - start < size,
          let rule = rules.rule(of: entry.type)
        else { continue }
        let target = try Self.target(of: entry, rule, file, &symbols) {
          table.error(forEntry: index)
        }
        if let target { targets[entry.address] = target }
      }
    }
  }

  /// No relocations.
  init() {}

  /// The relocations of some sections of a file, by the index of the section.
  ///
  /// - Complexity: O(*n*), where *n* is the number of the file's sections and relocations.
  static func ofSections(
    _ indices: [Int], in file: ELFFile
  ) throws(ELFFileError) -> [Int: FileRelocations] {
    if file.isRelocatable { return try ofObject(file, indices) }
    // One pass serves all sections: they have the same name, and most files have only one of it.
    var (start, end) = (UInt64.max, UInt64(0))
    for header in indices.map({ file.sectionHeaders[$0] }) where header.isAllocated {
      let (last, overflow) = header.address.addingReportingOverflow(header.size)
      (start, end) = (min(start, header.address), max(end, overflow ? .max : last))
    }
    let relocations =
      start < end
      ? try FileRelocations(of: file, addresses: start, size: end - start) : FileRelocations()
    return Dictionary(
      indices.map { ($0, file.sectionHeaders[$0].isAllocated ? relocations : FileRelocations()) },
      uniquingKeysWith: { $1 })
  }

  /// The effects on the words of an object file's sections: no address is known before the file is
  /// linked.
  private static func ofObject(
    _ file: ELFFile, _ sections: [Int]
  ) throws(ELFFileError) -> [Int: FileRelocations] {
    let sections = Set(sections)
    var found: [Int: FileRelocations] = [:]
    for header in file.sectionHeaders where sections.contains(Int(header.info)) {
      guard let format = RelocationTable.Format(header.type), format.namesSymbols else {
        continue
      }
      let section = Int(header.info)
      let table = try RelocationTable(
        of: file, named: "the relocations of section \(section)", format, at: header.offset,
        size: header.size)
      for index in 0..<table.count {
        found[section, default: FileRelocations()].targets[table[index].address] = .unresolved("")
      }
    }
    return found
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
      var addend = entry.addend
      if case .symbol(addsAddend: false) = rule { addend = 0 }
      if symbols == nil { symbols = try SymbolTable(of: file) }
      guard let table = symbols, entry.symbol < table.count else { throw noSymbol() }
      let symbol = table[entry.symbol]
      guard symbol.isDefined, symbol.type != .indirectFunction, symbol.type != .threadLocal
      else {
        return .unresolved(try table.strings.text(at: symbol.nameOffset))
      }
      if addend == nil, case .symbolic = rule { return .added(symbol.value) }
      return .address(file.elfClass.wrapped(symbol.value &+ UInt64(bitPattern: addend ?? 0)))
    }
  }
}
