import CLibelf
import Glibc
import Rebind

/// The symbols that the loader binds by. The corresponding tag is `DT_SYMTAB`.
///
/// It starts from the dynamic table, so it is there without section headers too.
package struct SymbolTable {
  /// The number of symbols, the null symbol at index 0 included.
  package let count: Int
  package let source: SymbolCount.Source
  package let strings: StringTable
  package let versions: VersionTable?
  package let elfClass: ELFClass
  @usableFromInline package let table: TableData
  /// The sections, if they have symbols, which have no names of their own.
  private var sections: (headers: [SectionHeader], names: SectionNames)?

  /// The table of a file, each name and version of which has been checked; nil if it has none.
  package init?(of file: ELFFile) throws(ELFFileError) {
    guard let dynamic = try DynamicEntries(of: file), let address = dynamic[.symbolTable] else {
      return nil
    }
    self = try file.readingNames(dynamic) { strings throws(ELFFileError) in
      try Self(of: file, dynamic, at: address, strings)
    }
  }

  private init(
    of file: ELFFile, _ dynamic: DynamicEntries, at address: UInt64, _ strings: StringTable
  ) throws(ELFFileError) {
    elfClass = file.reader.elfClass
    let entrySize = UInt64(
      elfClass == .bits64 ? MemoryLayout<Symbol64>.size : MemoryLayout<Symbol32>.size)
    let statedSize = try dynamic.value(of: .symbolSize, field: "DT_SYMENT")
    let offset = try file.locate(address, field: "DT_SYMTAB").offset
    guard statedSize == entrySize else {
      throw file.reader.error(
        .malformed("is \(statedSize), not \(entrySize)"), field: "DT_SYMENT", at: nil)
    }
    let symbolCount = try SymbolCount(
      of: file, dynamic, tableAt: offset, entrySize: entrySize)
    table = try file.table(
      atAddress: address, count: symbolCount.value, entrySize: entrySize, as: ELF_T_SYM,
      field: "DT_SYMTAB")
    // The table is in memory, so its count fits.
    count = Int(symbolCount.value)
    source = symbolCount.source
    self.strings = strings
    versions = try VersionTable(of: file, dynamic, count: count, strings: strings)
    try check(file)
  }

  /// The symbols of a section, which a linker reads, and which have no versions.
  ///
  /// The corresponding constants are `SHT_SYMTAB` and `SHT_DYNSYM`.
  init(of file: ELFFile, section index: Int) throws(ELFFileError) {
    let field = "section \(index)"
    guard index < file.sectionHeaders.count else {
      throw file.reader.error(
        .malformed("is \(index), but the file has \(file.sectionHeaders.count) sections"),
        field: "sh_link", at: nil)
    }
    let header = file.sectionHeaders[index]
    guard header.type == .symbolTable || header.type == .dynamicSymbols else {
      throw file.reader.error(
        .malformed("should have symbols and is \(header.type)"), field: field, at: header.offset)
    }
    elfClass = file.reader.elfClass
    table = try file.reader.data(
      at: header.offset, size: header.size, as: ELF_T_SYM, field: field)
    count =
      elfClass == .bits64 ? table.count(of: Symbol64.self) : table.count(of: Symbol32.self)
    source = header.type == .symbolTable ? .linkers : .sectionHeader
    strings = try StringTable(of: file, section: Int(header.link))
    versions = nil
    try check(file)
  }

  /// The symbols that linkers bind by, which may be stripped; nil if they are.
  ///
  /// The corresponding constant is `SHT_SYMTAB`.
  package init?(ofLinkersIn file: ELFFile) throws(ELFFileError) {
    guard let section = file.sectionHeaders.firstIndex(where: { $0.type == .symbolTable }) else {
      return nil
    }
    try self.init(of: file, section: section)
  }

  /// The symbol at an index below `count`.
  @inlinable
  package subscript(index: Int) -> SymbolEntry {
    switch elfClass {
    case .bits64: SymbolEntry(table.entry(index, as: Symbol64.self))
    case .bits32: SymbolEntry(table.entry(index, as: Symbol32.self))
    }
  }

  /// The bytes of a symbol's name, ended by the first zero byte. The symbol of a section has the section's name,
  /// as `nm -a` shows it.
  @inlinable
  package func name(of symbol: SymbolEntry) -> UnsafeRawBufferPointer {
    let name = strings.bytes(from: symbol.nameOffset)
    // STT_SECTION.
    guard symbol.type.rawValue == 3, name[0] == 0 else { return name }
    return nameOfSection(of: symbol) ?? name
  }

  @usableFromInline
  package func nameOfSection(of symbol: SymbolEntry) -> UnsafeRawBufferPointer? {
    guard let sections, symbol.sectionIndex < sections.headers.count else { return nil }
    return sections.names.bytes(from: sections.headers[Int(symbol.sectionIndex)])
  }

  /// True if other images can bind to a symbol, and it is not the name of a version. GNU's linkers
  /// write an absolute symbol for each version that the image defines.
  @inlinable
  package func exports(_ symbol: SymbolEntry, at index: Int) -> Bool {
    // SHN_ABS.
    symbol.isExported && (symbol.sectionIndex != 0xfff1 || !isOfVersion(symbol, at: index))
  }

  @usableFromInline
  package func isOfVersion(_ symbol: SymbolEntry, at index: Int) -> Bool {
    guard let versions else { return false }
    let entry = VersionIndex(rawValue: versions.indices.entry(index, as: UInt16.self))
    guard entry.hasName, let version = versions.names.defined(entry) else { return false }
    return version == symbol.nameOffset
      || strings.bytes(from: version).prefix { $0 != 0 }
        .elementsEqual(name(of: symbol).prefix { $0 != 0 })
  }

  /// True if the loader looks for a symbol by its name. It does not if it is local, internal or hidden, or of
  /// thread-local data.
  @inlinable
  package func isBound(_ index: Int) -> Bool {
    let symbol = self[index]
    // STB_LOCAL, STT_TLS; STV_INTERNAL and STV_HIDDEN, which the loader binds to the image itself.
    return symbol.binding.rawValue != 0 && symbol.type.rawValue != 6
      && (symbol.visibility.rawValue == 0 || symbol.visibility.rawValue == 3)
      && name(of: symbol)[0] != 0
  }

  /// The indices of all symbols but the null symbol.
  @inlinable
  package var indices: Range<Int> { min(1, count)..<count }

  private mutating func check(_ file: ELFFile) throws(ELFFileError) {
    var hasSections = false
    for index in indices {
      let symbol = self[index]
      if symbol.type.rawValue == 3 { hasSections = true }
      guard symbol.nameOffset < strings.count else {
        throw table.error(
          .malformed(
            "has a name at \(hexadecimal(symbol.nameOffset)) of \(strings.name), behind its end"),
          field: "symbol \(index)", distance: index * (table.bytes.count / count))
      }
      try versions?.check(symbolAt: index)
    }
    // The symbols are there without the sections' names.
    if hasSections, let names = try? SectionNames(of: file) {
      sections = (file.sectionHeaders, names)
    }
  }
}
