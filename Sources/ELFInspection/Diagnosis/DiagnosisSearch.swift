import Rebind
import RebindFiles

/// The search for the reasons of one image, of a file or of a process.
struct DiagnosisSearch {
  private let sought: SoughtSymbol
  private let symbols: SymbolTable
  /// The symbols of the name that is sought, with the slots of each.
  private(set) var matches: [Match] = []
  /// A sanitizer has defined the function here, and a second time as this.
  private var isInterceptor = false
  private var otherNames: [(name: String, index: Int)] = []

  /// A symbol of the image, of the name that is sought.
  struct Match {
    let index: Int
    /// How many slots of it a rebinding changes.
    var slots = 0
    /// How many of them are pointers in data, and not what code loads from.
    var slotsInData = 0
    /// How many it cannot change, and why.
    var fixedSlots = 0
    var fixedBy = ""
    /// How many more it would change, if they were not sealed.
    var sealedSlots = 0
    /// How many of the first lie where the file asks for its pages to be sealed.
    var slotsToBeSealed = 0
    /// How many of the first calls pass by.
    var bypassedSlots = 0
    /// Of these, those that calls may come to pass by: glibc from 2.39 on can rewrite their PLT.
    var markedSlots = 0
    /// The number of all slots.
    var allSlots: Int { slots + fixedSlots + sealedSlots }
    /// The definition that the symbol is bound to; nil for nothing.
    var definition: SymbolScope.Definition?
  }

  /// Further facts about the image.
  struct Context {
    /// The file, for the symbols that only the linker's symbol table has.
    let file: ELFFile
    /// False if that is the image in memory, as its file cannot be read or is another one.
    let hasFile: Bool
    /// Possible reasons are wanted if nothing defines the symbol.
    let wantsGuesses: Bool
    let table: DynamicTable
    let scope: SymbolScope
    /// True if nothing is missing from the scope that a loader would put there.
    let isComplete: Bool
    /// The image's own names.
    let ownNames: [String]
    /// The number of all slots of a symbol of the image.
    let slotCount: (_ symbol: Int) -> Int
    /// The names of an image of the scope, the name that a detail has first.
    let names: (_ image: Int) -> [String]
    /// The libraries that are loaded by `dlopen` and define the symbol, or may.
    var dlopen: () -> [FileDiagnosis] = { [] }
  }

  /// - Complexity: O(symbols).
  init(_ sought: SoughtSymbol, in symbols: SymbolTable) {
    self.sought = sought
    self.symbols = symbols
    let variants = FunctionVariants.names(of: sought.name)
    let interceptor = "__interceptor_\(sought.name)"
    let longest = variants.reduce(interceptor.utf8.count) { max($0, $1.utf8.count) }
    for index in symbols.indices {
      let bytes = symbols.name(of: symbols[index]).prefix(longest + 1)
      guard let end = bytes.firstIndex(of: 0) else { continue }
      let name = String(decoding: bytes[..<end], as: UTF8.self)
      if name == sought.name {
        matches.append(Match(index: index))
      } else if !symbols[index].isDefined, variants.contains(name) {
        otherNames.append((name, index))
      } else if name == interceptor {
        isInterceptor = isInterceptor || symbols[index].isDefined
      }
    }
  }

  /// Says of each match what it is bound to, and which slots it has.
  mutating func look(_ body: (_ match: inout Match, _ symbol: SymbolEntry) -> Void) {
    for match in matches.indices { body(&matches[match], symbols[matches[match].index]) }
  }

  /// All diagnoses, the answer first.
  func diagnoses(_ context: Context) throws(ELFFileError) -> [FileDiagnosis] {
    var found: [FileDiagnosis] = []
    var (selected, selectedInData, sealed, toBeSealed, bypassed, marked) = (0, 0, 0, 0, 0, 0)
    for match in matches where match.allSlots > 0 {
      let slots = match.allSlots
      // A reference that asks for no version is bound to one nevertheless.
      let version = version(of: match) ?? match.definition?.version
      let names = match.definition.map { context.names($0.image) } ?? []
      if let wanted = sought.version, version != wanted {
        // A definition without any version is identified by its library, unless that is the one that was
        // asked for.
        let isOfLibrary = sought.library.map { names.contains($0) } ?? false
        found.append(
          version == nil && !names.isEmpty && !isOfLibrary
            ? FileDiagnosis(.otherLibrary, names[0], slots: slots)
            : FileDiagnosis(.otherVersion, version ?? "none", slots: slots))
      } else if let library = sought.library, let name = names.first, !names.contains(library) {
        found.append(FileDiagnosis(.otherLibrary, name, slots: slots))
      } else {
        selected += match.slots
        selectedInData += match.slotsInData
        sealed += match.sealedSlots
        toBeSealed += match.slotsToBeSealed
        bypassed += match.bypassedSlots
        marked += match.markedSlots
        if match.fixedSlots > 0 {
          found.append(FileDiagnosis(.unchangeable, match.fixedBy, slots: match.fixedSlots))
        }
      }
    }
    if selected > 0 {
      let isInData = selected == selectedInData
      found.insert(FileDiagnosis(.hasSlots, isInData ? "data" : "", slots: selected), at: 0)
      // Code has no slot: calls, if any, go by another way.
      if isInData, let defined = definedMatch { found.append(try bound(defined, context)) }
    } else if found.isEmpty, sealed == 0 {
      found.append(try withoutSlots(context))
    }
    if sealed > 0 { found.append(FileDiagnosis(.sealed, slots: sealed)) }
    if toBeSealed > 0 { found.append(FileDiagnosis(.sealed, "requested", slots: toBeSealed)) }
    if bypassed > 0 {
      // Where all are, that is the answer.
      let place = bypassed == selected ? 0 : found.count
      found.insert(FileDiagnosis(.bypassed, slots: bypassed), at: place)
    }
    if marked > 0 { found.append(FileDiagnosis(.bypassed, "possible", slots: marked)) }
    found += others(context)
    guard !isDefined(found, in: context.scope) else { return found }
    let dlopen = context.dlopen()
    if selected == 0 || context.isComplete { found.append(FileDiagnosis(.notDefined)) }
    found += dlopen
    if selected == 0, context.wantsGuesses, !dlopen.contains(where: { $0.reason == .dlopen }) {
      found += try guesses(context)
    }
    return found
  }

  /// The other names, each once, with the slots of all its versions.
  private func others(_ context: Context) -> [FileDiagnosis] {
    var names: [String] = []
    var slots: [String: Int] = [:]
    for (name, index) in otherNames {
      if slots[name] == nil { names.append(name) }
      slots[name, default: 0] += context.slotCount(index)
    }
    return names.map { FileDiagnosis(.otherName, $0, slots: slots[$0] ?? 0) }
  }

  /// Possible reasons for a symbol that nothing defines.
  private func guesses(_ context: Context) throws(ELFFileError) -> [FileDiagnosis] {
    var found: [FileDiagnosis] = []
    if matches.isEmpty, try SymbolTable(ofLinkersIn: context.file) == nil {
      found.append(FileDiagnosis(.mayBeInside, context.hasFile ? "stripped" : "unreadable"))
    }
    return found
      + context.scope.names(similarTo: sought.name).map { FileDiagnosis(.similarName, $0) }
  }

  /// The reason for having no slots.
  private func withoutSlots(_ context: Context) throws(ELFFileError) -> FileDiagnosis {
    if let defined = definedMatch {
      let isSought = sought.library.map { context.ownNames.contains($0) } ?? true
      return isSought ? try bound(defined, context) : FileDiagnosis(.notDefined, "library")
    }
    if matches.contains(where: { symbols[$0.index].isDefined }) {
      return FileDiagnosis(.notDefined, "version")
    }
    if !matches.isEmpty { return FileDiagnosis(.unchangeable) }
    if let detail = try hiding(in: context.file) { return FileDiagnosis(.boundInside, detail) }
    return FileDiagnosis(.notImported)
  }

  /// A definition of the image, in the version that is sought.
  private var definedMatch: Match? {
    matches.first {
      symbols[$0.index].isDefined
        && (sought.version == nil || version(of: $0) == sought.version)
    }
  }

  /// How a symbol that the image defines is bound inside.
  private func bound(_ match: Match, _ context: Context) throws(ELFFileError) -> FileDiagnosis {
    let symbol = symbols[match.index]
    let detail =
      if isInterceptor {
        "sanitizer"
      } else if symbol.type == .object {
        try context.file.isCopied(match.index, in: symbols) ? "copied" : "data"
      } else if symbol.visibility == .protected {
        "protected"
      } else if context.table.isSymbolic {
        "-Bsymbolic"
      } else {
        ""
      }
    return FileDiagnosis(.boundInside, detail)
  }

  /// Why no loader knows a symbol that the file defines; nil if it defines none.
  private func hiding(in file: ELFFile) throws(ELFFileError) -> String? {
    guard let all = try SymbolTable(ofLinkersIn: file) else { return nil }
    // Of several symbols the one that others know best, as the core has it.
    let ranks = ["data", "local", "hidden", "unexported"]
    var best: Int?
    sought.withName { name in
      for index in all.indices where isName(all.name(of: all[index]), name) {
        guard let detail = Self.hiding(of: all[index]) else { continue }
        best = max(best ?? 0, ranks.firstIndex(of: detail)!)
      }
    }
    return best.map { ranks[$0] }
  }

  /// Why no loader knows a symbol; nil if that is none of a function or of data.
  private static func hiding(of symbol: SymbolEntry) -> String? {
    guard symbol.isDefined, symbol.sectionIndex != absoluteSection else { return nil }
    switch symbol.type {
    case .object, .common, .threadLocal: return "data"
    case .function, .indirectFunction, .none: break
    default: return nil
    }
    // Linkers make hidden symbols local, and all but GNU ld leave their visibility as it was.
    switch (symbol.visibility, symbol.binding) {
    case (.hidden, _), (.internal, _): return "hidden"
    case (_, .local): return "local"
    default: return "unexported"
    }
  }

  private func version(of match: Match) -> String? {
    symbols.versions?.version(of: symbols[match.index], at: match.index)
      .map { symbols.strings.string(at: $0.nameOffset) }
  }

  /// True if something defines the symbol: for the loader, or for the image alone.
  private func isDefined(_ found: [FileDiagnosis], in scope: SymbolScope) -> Bool {
    found.contains { $0.reason == .boundInside } || matches.contains { $0.definition != nil }
      || sought.withName { scope.definition(of: $0, version: nil) != nil }
  }
}

/// `SHN_ABS`.
private let absoluteSection: UInt16 = 0xfff1

extension SymbolScope {
  /// The definition that a loader would bind a symbol of an image to; nil for nothing.
  func definition(
    of symbol: SymbolEntry, at index: Int, in table: SymbolTable,
    where isWanted: (_ image: Int) -> Bool = { _ in true }
  ) -> Definition? {
    let version = table.versions?.version(of: symbol, at: index)
      .map { table.strings.bytes(from: $0.nameOffset) }
    return definition(of: table.name(of: symbol), version: version, where: isWanted)
  }
}
