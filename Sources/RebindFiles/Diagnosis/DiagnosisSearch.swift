import Rebind

/// The search for the reasons of one file.
struct DiagnosisSearch {
  private let graph: DependencyGraph
  private let file: ELFFile
  private let symbols: SymbolTable
  private let sought: SoughtSymbol
  /// The symbols of the name that is sought, and how many slots each has.
  private var matches: [(index: Int, slots: Int)] = []
  private var otherNames: [String] = []

  init(
    _ graph: DependencyGraph, _ file: ELFFile, _ symbols: SymbolTable, _ sought: SoughtSymbol
  ) {
    self.graph = graph
    self.file = file
    self.symbols = symbols
    self.sought = sought
    let variants = FunctionVariants.names(of: sought.name)
    for index in symbols.indices {
      let name = self.name(of: symbols[index])
      if name == sought.name {
        matches.append((index, 0))
      } else if !symbols[index].isDefined, variants.contains(name), !otherNames.contains(name) {
        otherNames.append(name)
      }
    }
  }

  /// Counts the relocations that fill slots of the symbol.
  mutating func countSlots(_ dynamic: DynamicEntries) throws(ELFFileError) {
    guard !matches.isEmpty else { return }
    for table in try file.dynamicRelocationTables(dynamic) where table.kind != .relative {
      for index in 0..<table.count {
        let entry = table[index]
        guard let match = matches.firstIndex(where: { $0.index == entry.symbol }),
          RelocationRule(entry.type, of: file.machine).map({ $0.fillsSlot(file.machine) }) ?? false
        else { continue }
        matches[match].slots += 1
      }
    }
    // MIPS has slots without relocations: one for each symbol from a certain one on.
    if file.machine == .mips {
      for match in matches.indices where !symbols[matches[match].index].isDefined {
        matches[match].slots = max(1, matches[match].slots)
      }
    }
  }

  /// All that there is to say, the answer first.
  func diagnoses(_ scope: SymbolScope) throws(ELFFileError) -> [FileDiagnosis] {
    var found: [FileDiagnosis] = []
    var selected = 0
    for (index, slots) in matches where slots > 0 {
      let symbol = symbols[index]
      let version = symbols.versions?.version(of: symbol, at: index)
        .map { symbols.strings.string(at: $0.nameOffset) }
      let definer = definer(of: symbol, at: index, scope)
      if let wanted = sought.version, version != wanted {
        found.append(FileDiagnosis(.otherVersion, version ?? "none", slots: slots))
      } else if let library = sought.library, let definer, !isNamed(definer, library) {
        found.append(FileDiagnosis(.otherLibrary, name(of: definer), slots: slots))
      } else if definer == nil, symbol.binding == .weak {
        found.append(FileDiagnosis(.unchangeable, "weak, and nothing defines it", slots: slots))
      } else {
        selected += slots
      }
    }
    if selected > 0 {
      found.insert(FileDiagnosis(.hasSlots, slots: selected), at: 0)
    } else if found.isEmpty {
      found.append(try withoutSlots())
    }
    found += otherNames.map { FileDiagnosis(.otherName, $0) }
    if selected == 0, !isDefined(in: scope) { found.append(FileDiagnosis(.notDefined)) }
    return found
  }

  /// Why there are no slots.
  private func withoutSlots() throws(ELFFileError) -> FileDiagnosis {
    if let defined = matches.map({ symbols[$0.index] }).first(where: \.isDefined) {
      let table = graph.images[0].table
      let isSymbolic = table[.symbolic] != nil || table.flags.contains(.symbolic)
      return FileDiagnosis(
        .boundInside,
        defined.visibility == .protected ? "protected" : isSymbolic ? "-Bsymbolic" : "")
    }
    if !matches.isEmpty { return FileDiagnosis(.unchangeable, "it has no slot") }
    if try isDefinedForLinkersAlone() { return FileDiagnosis(.boundInside, "hidden") }
    return FileDiagnosis(.notImported)
  }

  /// True if the file has a function of the name that no loader knows: a static or hidden one.
  private func isDefinedForLinkersAlone() throws(ELFFileError) -> Bool {
    guard let section = file.sectionHeaders.firstIndex(where: { $0.type == .symbolTable }) else {
      return false
    }
    let all = try SymbolTable(of: file, section: section)
    return all.indices.contains {
      all[$0].isDefined && all[$0].type != .file
        && all.name(of: all[$0]).prefix { $0 != 0 }.elementsEqual(sought.name.utf8)
    }
  }

  /// The image that a loader would bind a symbol to.
  private func definer(of symbol: SymbolEntry, at index: Int, _ scope: SymbolScope) -> Int? {
    let version = symbols.versions?.version(of: symbol, at: index)
      .map { symbols.strings.bytes(from: $0.nameOffset) }
    var definer: Int?
    scope.forEachOffer(of: symbols.name(of: symbol), version: version) { image, _ in
      definer = definer ?? image
    }
    return definer
  }

  private func isDefined(in scope: SymbolScope) -> Bool {
    var isDefined = false
    var name = sought.name + "\0"
    name.withUTF8 {
      scope.forEachOffer(of: UnsafeRawBufferPointer($0), version: nil) { _, _ in isDefined = true }
    }
    return isDefined
  }

  private func isNamed(_ image: Int, _ library: String) -> Bool {
    let image = graph.images[image]
    return image.table.soname == library || image.path.lastComponent == library
      || image.path.text == library
  }

  private func name(of image: Int) -> String {
    graph.images[image].table.soname ?? graph.images[image].path.lastComponent
  }

  private func name(of symbol: SymbolEntry) -> String {
    symbols.strings.string(at: symbol.nameOffset)
  }
}

extension RelocationRule {
  /// True for a word that holds the symbol's address. What is not known of a machine's relocations
  /// is taken for one.
  fileprivate func fillsSlot(_ machine: Machine) -> Bool {
    switch self {
    case .symbolic, .symbol: true
    case .relative: false
    case .unknown: RelocationNames.relative(of: machine) == nil
    }
  }
}
