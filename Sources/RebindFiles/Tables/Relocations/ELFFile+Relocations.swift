internal import CLibelf
import Rebind

extension ELFFile {
  /// The tables of relocations: those that the dynamic table leads to, and those of sections that
  /// it does not know of, as in object files and static programs.
  ///
  /// - Complexity: O(relocations + symbols).
  package var relocationTables: [RelocationTable] {
    get throws(ELFFileError) {
      var tables: [RelocationTable] = []
      if let dynamic = try DynamicEntries(of: self) {
        tables = try dynamicRelocationTables(dynamic, symbols: try SymbolTable(of: self))
      }
      let names = try SectionNames(of: self)
      let known = tables
      var symbols: [UInt32: SymbolTable] = [:]
      for (index, header) in sectionHeaders.enumerated() {
        guard let format = RelocationTable.Format(header.type), header.size > 0,
          !known.contains(where: {
            header.offset >= $0.offset && header.offset - $0.offset < $0.size
          })
        else { continue }
        let name = try names.name(of: header, at: index)
        if format.namesSymbols, header.link != 0, symbols[header.link] == nil {
          symbols[header.link] = try SymbolTable(of: self, section: Int(header.link))
        }
        tables.append(
          try RelocationTable(
            of: self, named: name, format, at: header.offset, size: header.size,
            target: try target(of: header, names), symbols: symbols[header.link]))
      }
      for table in tables { try table.check() }
      return tables
    }
  }

  /// The tables that the loader reads; without `symbols` they know no names.
  package func dynamicRelocationTables(
    _ dynamic: DynamicEntries, symbols: SymbolTable? = nil
  ) throws(ELFFileError) -> [RelocationTable] {
    guard dynamic[.compactRelocations] == nil else {
      throw reader.error(
        .unsupported("leads to relocations that are packed as CREL, which no loader here reads"),
        field: "DT_CREL", at: nil)
    }
    let jumpSlots: RelocationTable.Kind =
      dynamic[.jumpSlotRelocationsKind] == UInt64(DT_RELA) ? .addends : .inPlace
    let stated: [(DynamicTag, DynamicTag, RelocationTable.Format, String)] = [
      (.relativeRelocations, .relativeRelocationsSize, .plain(.relative), "DT_RELR"),
      (
        .androidRelativeRelocations, .androidRelativeRelocationsSize, .plain(.relative),
        "DT_ANDROID_RELR"
      ),
      (
        .androidAddendRelocations, .androidAddendRelocationsSize, .packed(.android(.addends)),
        "DT_ANDROID_RELA"
      ),
      (
        .androidRelocations, .androidRelocationsSize, .packed(.android(.inPlace)),
        "DT_ANDROID_REL"
      ),
      (.addendRelocations, .addendRelocationsSize, .plain(.addends), "DT_RELA"),
      (.relocations, .relocationsSize, .plain(.inPlace), "DT_REL"),
      (.jumpSlotRelocations, .jumpSlotRelocationsSize, .plain(jumpSlots), "DT_JMPREL"),
    ]
    var tables: [RelocationTable] = []
    for (tag, sizeTag, format, name) in stated {
      guard let address = dynamic[tag], var size = dynamic[sizeTag], size > 0 else { continue }
      let (offset, available) = try locate(address, field: name)
      guard size <= available else {
        throw reader.error(
          .malformed("has \(size) bytes, its segment \(available)"), field: name, at: offset)
      }
      // Some linkers count the jump slots' relocations, which come last, among the others.
      if tag != .jumpSlotRelocations, let jumpSlots = dynamic[.jumpSlotRelocations],
        let jumpSlotsSize = dynamic[.jumpSlotRelocationsSize], jumpSlots >= address,
        jumpSlots - address < size, jumpSlotsSize == size - (jumpSlots - address)
      {
        size = jumpSlots - address
        if size == 0 { continue }
      }
      tables.append(
        try RelocationTable(
          of: self, named: name, format, at: offset, size: size, symbols: symbols))
    }
    return tables
  }

  private func target(
    of header: SectionHeader, _ names: SectionNames
  ) throws(ELFFileError) -> String? {
    guard isRelocatable, header.info != 0 else { return nil }
    guard header.info < sectionHeaders.count else {
      throw reader.error(
        .malformed("is \(header.info), but the file has \(sectionHeaders.count) sections"),
        field: "sh_info", at: nil)
    }
    return try names.name(of: sectionHeaders[Int(header.info)], at: Int(header.info))
  }
}

extension RelocationTable.Format {
  /// Nil for a section of something else.
  init?(_ type: SectionType) {
    switch type {
    case .relocationsWithAddends: self = .plain(.addends)
    case .relocations: self = .plain(.inPlace)
    case .relativeRelocations, .androidRelativeRelocations: self = .plain(.relative)
    case .androidRelocationsWithAddends: self = .packed(.android(.addends))
    case .androidRelocations: self = .packed(.android(.inPlace))
    case .compactRelocations: self = .packed(.compact)
    default: return nil
    }
  }

  /// False where entries are addresses alone.
  var namesSymbols: Bool {
    if case .plain(.relative) = self { return false }
    return true
  }
}

extension ELFFile {
  /// How many bytes of memory the file says that its image takes.
  var loadedSize: UInt64 {
    segments.reduce(0) { size, segment in
      guard segment.type == .load else { return size }
      let (sum, overflow) = size.addingReportingOverflow(segment.memorySize)
      return overflow ? .max : sum
    }
  }
}
