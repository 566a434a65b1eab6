import RebindFiles

extension ELFFile {
  /// True if the loader copies the data of a dynamic symbol into this file's image. The
  /// corresponding relocations are named as `R_X86_64_COPY`.
  ///
  /// - Complexity: O(relocations).
  func isCopied(_ symbol: Int, in symbols: SymbolTable) throws(ELFFileError) -> Bool {
    guard let dynamic = try DynamicEntries(of: self) else { return false }
    let copy = SlotTypes(of: machine, elfClass).copy
    for table in try dynamicRelocationTables(dynamic, symbols: symbols)
    where table.kind != .relative {
      for index in 0..<table.count where table[index].type == copy {
        if table[index].symbol == symbol { return true }
      }
    }
    return false
  }
}
