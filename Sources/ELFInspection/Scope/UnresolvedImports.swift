import Rebind
package import RebindFiles

/// The imports of an image that no image of its scope defines.
package struct UnresolvedImports {
  package let table: SymbolTable
  /// Their places in the table, rising.
  package private(set) var places: [Int]

  /// Leaves out imports by their names.
  package mutating func remove(where isLeftOut: (UnsafeRawBufferPointer) -> Bool) {
    places.removeAll { isLeftOut(table.name(of: table[$0])) }
  }

  /// The names with their versions, `open@GLIBC_2.2.5`, of those that a loader insists on: weak ones may
  /// stay without a definition.
  package var needed: [String] {
    places.filter { table[$0].binding != .weak }.map { place in
      let name = table.strings.string(at: table[place].nameOffset)
      guard let version = table.versions?.version(of: table[place], at: place) else { return name }
      return "\(name)@\(table.strings.string(at: version.nameOffset))"
    }
  }
}

extension SymbolScope {
  /// The imports of an image that nothing defines, of those that its relocations name: loaders look up no
  /// others. Nil for an image without symbols.
  ///
  /// - Parameter place: The place of the image in the scope.
  /// - Throws: `ELFFileError` if the image's relocations cannot be read.
  /// - Complexity: O(relocations + imports × images).
  package func unresolvedImports(
    of image: DependencyImage, at place: Int
  ) throws(ELFFileError) -> UnresolvedImports? {
    guard let table = table(of: place) else { return nil }
    let (isNamed, isCopied) = try image.file.areNamedByRelocations(table)
    let places = table.indices.filter { index in
      let symbol = table[index]
      // Data that the image has a copy of is defined there, and comes from another image.
      guard isCopied[index] || !symbol.isDefined && isNamed[index],
        table.name(of: symbol)[0] != 0
      else { return false }
      let found = definition(of: symbol, at: index, in: table) { !isCopied[index] || $0 != place }
      return found.map { refuses($0, symbol, at: index, in: table, of: image) } ?? true
    }
    return UnresolvedImports(table: table, places: places)
  }

  /// True if a loader ends the program in place of binding an import to a definition. glibc does so where the
  /// library that should have the import's version has no table of versions: check_match of dl-lookup.c
  /// asserts that it has one.
  private func refuses(
    _ definition: Definition, _ symbol: SymbolEntry, at index: Int, in table: SymbolTable,
    of image: DependencyImage
  ) -> Bool {
    guard kind == .glibc, definition.table.versions == nil,
      let version = table.versions?.version(of: symbol, at: index)
    else { return false }
    let name = table.strings.string(at: version.nameOffset)
    return image.requirements.contains { requirement in
      requirement.status == .unversioned && requirement.version == name
        && image.needs.contains {
          $0.name == requirement.library && $0.image == definition.image
        }
    }
  }
}

extension ELFFile {
  /// For each symbol, whether a relocation that a loader applies names it, and whether one copies its
  /// data.
  fileprivate func areNamedByRelocations(
    _ symbols: SymbolTable
  ) throws(ELFFileError) -> (isNamed: [Bool], isCopied: [Bool]) {
    // Slots of MIPS' global offset table have no relocations.
    var isNamed = Array(repeating: machine == .mips, count: symbols.count)
    var isCopied = Array(repeating: false, count: symbols.count)
    guard let dynamic = try DynamicEntries(of: self) else { return (isNamed, isCopied) }
    let copy = SlotTypes(of: machine, elfClass).copy
    for table in try dynamicRelocationTables(dynamic, symbols: symbols)
    where table.kind != .relative {
      for index in try table.entries(ofType: { _ in true }) {
        isNamed[table[index].symbol] = true
        if table[index].type == copy { isCopied[table[index].symbol] = true }
      }
    }
    return (isNamed, isCopied)
  }
}
