import Rebind
package import RebindFiles

/// Why a rebinding of a symbol would see the calls of an image of a process, or would not.
package struct ProcessDiagnosis {
  /// The answer first.
  package let diagnoses: [FileDiagnosis]
  /// The slots of the symbol, and what they hold; nil if the image has no dynamic symbols.
  package let slots: ProcessSlots?
  /// The parts of notes of `dlopen` that were asked for and cannot be read, with the image.
  package internal(set) var warnings: [(path: FilePath, text: String)] = []

  /// True if the image has anything to do with the symbol.
  package var isConcerned: Bool {
    diagnoses.contains {
      ![.notImported, .notDefined, .mayBeInside, .similarName, .dlopenMissing].contains($0.reason)
    }
  }
}

extension ProcessScope {
  /// Why a rebinding of a symbol would see the calls of an image, or would not, as things are now.
  ///
  /// The target of a slot says which definition it is bound to; of one that is not bound yet the
  /// first in the loader's order is taken.
  ///
  /// - Throws: `ELFFileError` if the image's tables contradict themselves, or if it is gone.
  /// - Complexity: O(symbols + relocations), and for the first image O(symbols of all images).
  ///
  /// The corresponding C function is `crebind_diagnose`.
  package func diagnose(
    _ sought: SoughtSymbol, of image: LoadedImage
  ) throws(ELFFileError) -> ProcessDiagnosis {
    if isStatic {
      return ProcessDiagnosis(diagnoses: [FileDiagnosis(.staticExecutable)], slots: nil)
    }
    var counts: [Int: Int] = [:]
    let found = try slots(of: image) { slot, symbols in
      counts[slot.symbol, default: 0] += 1
      return sought.withName { isName(symbols.name(of: symbols[slot.symbol]), $0) }
    }
    guard let found else {
      return ProcessDiagnosis(diagnoses: [FileDiagnosis(.notImported)], slots: nil)
    }
    if image.isLoader, !found.slots.isEmpty {
      let reason = FileDiagnosis(.unchangeable, "loader", slots: found.slots.count)
      return ProcessDiagnosis(diagnoses: [reason], slots: found)
    }
    let slots = Dictionary(grouping: found.slots) { $0.slot.symbol }
    let calls = Set(
      found.slots.filter { $0.state == .rebound && $0.slot.kind != .absolute }
        .compactMap { $0.target?.address })
    var search = DiagnosisSearch(sought, in: found.symbols)
    search.look { match, symbol in
      match.definition = definition(
        of: symbol, at: match.index, in: found.symbols, slots[match.index] ?? [])
      var replacements = calls
      if let definition = match.definition, let target = redirection(of: definition) {
        replacements.insert(target)
      }
      for slot in slots[match.index] ?? [] {
        let isUndefined = match.definition == nil && slot.state == .unresolved
        if let why = Self.whatFixes(slot, replacements) ?? (isUndefined ? "undefined" : nil) {
          match.fixedSlots += 1
          match.fixedBy =
            match.definition == nil && symbol.binding == .weak ? SoughtSymbol.undefinedWeak : why
        } else if isSealed(slot.slot, of: image) {
          match.sealedSlots += 1
        } else {
          match.slots += 1
          if slot.bypass != nil { match.bypassedSlots += 1 }
          if found.types.isInData(slot.slot) { match.slotsInData += 1 }
        }
      }
    }
    // Once, and not for each of its images.
    let isFirst = image === images.first
    var context = DiagnosisSearch.Context(
      file: image.file ?? image.loaded, hasFile: image.file != nil,
      wantsGuesses: isFirst, table: image.table, scope: scope, isComplete: true,
      ownNames: image.names, slotCount: { [counts] in counts[$0] ?? 0 }
    ) { self.images[$0].names }
    var warnings: [(path: FilePath, text: String)] = []
    if isFirst { context.dlopen = { self.dlopenDiagnoses(&warnings) } }
    let diagnoses = try search.diagnoses(context)
    return ProcessDiagnosis(diagnoses: diagnoses, slots: found, warnings: warnings)
  }

  /// The libraries that notes of its images name, and that it has not loaded.
  private func dlopenDiagnoses(
    _ warnings: inout [(path: FilePath, text: String)]
  ) -> [FileDiagnosis] {
    let loaded = Set(images.flatMap(\.names))
    var names: [String] = []
    var seen: Set<String> = []
    for image in ordinaryImages {
      let notes = DlopenNotes(of: image.file ?? image.loaded)
      warnings += notes.problems.map { (image.image.path, $0) }
      for note in notes.entries
      where !note.sonames.contains(where: loaded.contains) && seen.insert(note.name).inserted {
        names.append(note.name)
      }
    }
    return names.isEmpty ? [] : [FileDiagnosis(.dlopenMissing, names.joined(separator: ","))]
  }

  private func definition(
    of symbol: SymbolEntry, at index: Int, in table: SymbolTable, _ slots: [ProcessSlot]
  ) -> SymbolScope.Definition? {
    let bound = slots.lazy.filter { $0.state == .original }.compactMap { $0.target?.image }.first
    if let bound, let image = images.firstIndex(where: { $0 === bound }),
      let found = scope.definition(of: symbol, at: index, in: table, where: { $0 == image })
    {
      return found
    }
    return scope.definition(of: symbol, at: index, in: table)
  }

  /// Where a definition leads images that come, if that is not to itself: Rebind does so.
  private func redirection(of definition: SymbolScope.Definition) -> UInt64? {
    let image = images[definition.image]
    guard let loaded = image.loadedSymbols, definition.symbol < loaded.count else { return nil }
    let value = loaded[definition.symbol].value
    return value == definition.entry.value
      ? nil : image.image.elfClass.wrapped(value &+ image.image.loadBias)
  }

  /// Why a rebinding leaves a slot as it is; nil if it changes it.
  private static func whatFixes(_ slot: ProcessSlot, _ replacements: Set<UInt64>) -> StaticString? {
    if slot.slot.isPacked { return "packed" }
    switch slot.state {
    case .null: return "null"
    case .unresolved, .original: return nil
    case .rebound, .assigned:
      // Data is the program's to assign, unless it was rebound together with the calls.
      guard slot.slot.kind == .absolute, let target = slot.target else { return nil }
      return replacements.contains(target.address) ? nil : "assigned"
    }
  }
}
