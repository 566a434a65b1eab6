internal import CRebind.Reasons
import Rebind
import RebindFiles

/// The search for the reasons of one image, of a file or of a process.
struct DiagnosisSearch {
  private let sought: SoughtSymbol
  private let symbols: SymbolTable
  /// The symbols of the name that is sought, with the slots of each.
  private(set) var matches: [Match] = []
  /// True if a sanitizer has defined the function here: it defines `__interceptor_` with the name,
  /// too.
  private var isInterceptor = false
  private var otherNames: [(name: String, index: Int)] = []

  /// A symbol of the image that has the name that is sought.
  struct Match {
    let index: Int
    /// The number of the symbol's slots that a rebinding changes.
    var slots = 0
    /// How many of these `slots` are pointers in data, and not words that code loads from.
    var slotsInData = 0
    /// The number of slots that a rebinding cannot change, and why.
    var fixedSlots = 0
    var fixedBy: StaticString = ""
    /// The number of slots that a rebinding would also change if they were not sealed.
    var sealedSlots = 0
    /// How many of `slots` lie in pages that the file asks to be sealed.
    var slotsToBeSealed = 0
    /// How many of `slots` are bypassed by calls.
    var bypassedSlots = 0
    /// How many of `slots` calls may bypass at run time: glibc from 2.39 on can rewrite their PLT.
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
    /// False if `file` is the image in memory, because its file cannot be read or is another one.
    let hasFile: Bool
    /// True if possible reasons are wanted where nothing defines the symbol.
    let wantsGuesses: Bool
    let table: DynamicTable
    let scope: SymbolScope
    /// True if the scope has all that a loader would put there.
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
    var facts = crebind_image_facts()
    facts.is_in_scope = true
    facts.asks = !matches.isEmpty
    var fixed: [crebind_fixed_slots] = []
    var others: [FileDiagnosis] = []
    for match in matches where match.allSlots > 0 {
      if let other = other(match, context) {
        others.append(other)
        continue
      }
      facts.changeable += match.slots
      facts.in_data += match.slotsInData
      facts.sealed += match.sealedSlots
      facts.to_be_sealed += match.slotsToBeSealed
      facts.bypassed += match.bypassedSlots
      facts.may_be_bypassed += match.markedSlots
      if match.fixedSlots > 0 {
        fixed.append(crebind_fixed_slots(count: match.fixedSlots, detail: match.fixedBy.cString))
      }
    }
    facts.has_other_references = !others.isEmpty
    try addDefinition(to: &facts, context)
    var (found, isOpen) = Self.reasons(&facts, fixed)
    found += others
    if isOpen {
      let own = try own(in: context.file)
      found.append(own.map { FileDiagnosis(.boundInside, $0) } ?? FileDiagnosis(.notImported))
    }
    found += otherNames(context)
    guard !isDefined(found, in: context.scope) else { return found }
    let dlopen = context.dlopen()
    let selected = facts.changeable
    if selected == 0 || context.isComplete { found.append(FileDiagnosis(.notDefined)) }
    found += dlopen
    if selected == 0, context.wantsGuesses, !dlopen.contains(where: { $0.reason == .dlopen }) {
      found += try guesses(context)
    }
    return found
  }

  /// The reasons that follow from the facts; true if only the linker's symbol table can tell more.
  ///
  /// The corresponding C function is `crebind_visit_reasons`.
  private static func reasons(
    _ facts: inout crebind_image_facts, _ fixed: [crebind_fixed_slots]
  ) -> ([FileDiagnosis], Bool) {
    var found: [FileDiagnosis] = []
    let isOpen = fixed.withUnsafeBufferPointer { fixed in
      (facts.fixed, facts.fixed_count) = (fixed.baseAddress, fixed.count)
      return withUnsafeMutablePointer(to: &found) { found in
        crebind_visit_reasons(
          &facts,
          { reason, detail, slots, found in
            found!.assumingMemoryBound(to: [FileDiagnosis].self).pointee.append(
              FileDiagnosis(
                Diagnosis.Reason(rawValue: reason.rawValue), String(cString: detail!),
                slots: slots))
          }, found)
      }
    }
    return (found, isOpen)
  }

  /// Why slots are not those that were asked for; nil if they are.
  private func other(_ match: Match, _ context: Context) -> FileDiagnosis? {
    // A reference that asks for no version is bound to one nevertheless.
    let version = version(of: match) ?? match.definition?.version
    let names = match.definition.map { context.names($0.image) } ?? []
    var facts = crebind_reference_facts()
    facts.asks_for_version = sought.version != nil
    facts.asks_for_library = sought.library != nil
    facts.has_version = version != nil
    facts.is_version = version == sought.version
    facts.is_defined = !names.isEmpty
    facts.is_library = sought.library.map { names.contains($0) } ?? false
    let reason = Diagnosis.Reason(rawValue: crebind_reason_of_reference(&facts).rawValue)
    let detail: String? =
      switch reason {
      case .otherVersion: version ?? "none"
      case .otherLibrary: names[0]
      case .unchangeable:
        String(cString: crebind_detail_of_undefined(symbols[match.index].binding == .weak))
      default: nil
      }
    return detail.map { FileDiagnosis(reason, $0, slots: match.allSlots) }
  }

  /// The other names, each once, with the slots of all its versions.
  private func otherNames(_ context: Context) -> [FileDiagnosis] {
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

  /// A definition of the image, in the version that is sought.
  private var definedMatch: Match? {
    matches.first {
      symbols[$0.index].isDefined
        && (sought.version == nil || version(of: $0) == sought.version)
    }
  }

  /// Says whether the image defines the symbol, and how its own calls reach it.
  private func addDefinition(
    to facts: inout crebind_image_facts, _ context: Context
  ) throws(ELFFileError) {
    guard let match = definedMatch else {
      if matches.contains(where: { symbols[$0.index].isDefined }) {
        facts.other_definition = ("version" as StaticString).cString
      }
      return
    }
    guard sought.library.map({ context.ownNames.contains($0) }) ?? true else {
      facts.other_definition = ("library" as StaticString).cString
      return
    }
    let symbol = symbols[match.index]
    var definition = crebind_definition_facts()
    definition.is_interceptor = isInterceptor
    definition.is_data = Self.own(symbol) == CREBIND_OWN_DATA
    definition.is_copied =
      definition.is_data ? try context.file.isCopied(match.index, in: symbols) : false
    definition.is_protected = symbol.visibility == .protected
    definition.is_symbolic = context.table.isSymbolic
    facts.definition = crebind_detail_of_definition(&definition)
  }

  /// Why no loader knows a symbol that the file defines; nil if it defines none.
  private func own(in file: ELFFile) throws(ELFFileError) -> String? {
    guard let all = try SymbolTable(ofLinkersIn: file) else { return nil }
    // Among several symbols, the one that is visible to the most others counts.
    var best = CREBIND_OWN_NONE
    sought.withName { name in
      for index in all.indices where isName(all.name(of: all[index]), name) {
        let own = Self.own(all[index])
        if own.rawValue > best.rawValue { best = own }
      }
    }
    return crebind_detail_of_own(best).map { String(cString: $0) }
  }

  private static func own(_ symbol: SymbolEntry) -> crebind_own {
    crebind_own_of(
      symbol.type.rawValue, symbol.binding.rawValue, symbol.visibility.rawValue,
      symbol.sectionIndex)
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

extension StaticString {
  /// The text, ended by a zero byte.
  fileprivate var cString: UnsafePointer<CChar> {
    UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
  }
}

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
