package import Rebind
package import RebindFiles

/// One reason why a rebinding of a symbol sees the calls of a file or an image, or does not.
package struct FileDiagnosis: Sendable, Hashable {
  package let reason: Diagnosis.Reason
  /// The other name, version or library, or a word as in `Diagnosis`: how the symbol is bound
  /// inside, what its slots are, or why they cannot be changed; "" for none.
  package let detail: String
  /// How many slots of the symbol the reason is about.
  package let slotCount: Int
  /// The library of a note that defines the symbol; nil for other reasons.
  package let dlopen: DlopenDefinition?

  init(
    _ reason: Diagnosis.Reason, _ detail: String = "", slots: Int = 0,
    dlopen: DlopenDefinition? = nil
  ) {
    self.reason = reason
    self.detail = detail
    slotCount = slots
    self.dlopen = dlopen
  }
}

/// A library that defines the symbol, and that an image may load with `dlopen` by its note.
package struct DlopenDefinition: Sendable, Hashable {
  package let library: FilePath
  /// The image with the note.
  package let image: FilePath
  /// True if the image with the note is the diagnosed file itself.
  package let isOwn: Bool
  /// The priority that the note states.
  package let priority: String
}

/// Reasons that only files have. The core has none of them, because it sees only loaded libraries.
extension Diagnosis.Reason {
  /// A library that an image may load with `dlopen` defines the symbol. The detail is the library's
  /// name.
  package static let dlopen = Self(rawValue: 1 << 16)
  /// Libraries that images may load with `dlopen` may define it, but cannot be read. The detail has their
  /// names.
  package static let dlopenMissing = Self(rawValue: 1 << 16 + 1)
}

/// The symbol that is asked about.
package struct SoughtSymbol: Sendable {
  package var name: String
  /// Only slots that ask for this version; nil for any.
  package var version: String?
  /// Only slots that are bound to this library's definition, by soname or file name; nil for any.
  package var library: String?

  package init(name: String, version: String? = nil, library: String? = nil) {
    self.name = name
    self.version = version
    self.library = library
  }

  /// Reads `name`, `name@version` or `name@@version`.
  package init(_ text: String) {
    let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    self.init(name: String(parts[0]))
    if parts.count > 1 { version = String(parts[1].drop { $0 == "@" }) }
  }

  /// Why the slots of a symbol cannot be changed that programs ask for before they call it: it is
  /// weak, and nothing defines it.
  static let undefinedWeak: StaticString = "weak"

  /// Calls `body` with the name, ended by a zero byte.
  func withName<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    var name = name + "\0"
    return name.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }
}

extension DependencyGraph {
  /// Why a rebinding of a symbol would see the calls of the file, or would not.
  ///
  /// The first is the answer, and others follow: what is imported by another name.
  ///
  /// - Parameter scope: The symbols of this graph.
  /// - Throws: `ELFFileError` if the file is not linked yet, or contradicts itself.
  /// - Complexity: O(relocations + symbols of all images).
  ///
  /// The corresponding C function is `crebind_diagnose`.
  package func diagnose(
    _ sought: SoughtSymbol, in scope: SymbolScope
  ) throws(ELFFileError) -> [FileDiagnosis] {
    let file = images[0].file
    guard !file.isRelocatable, !file.isDebugFile else {
      throw file.reader.error(.unsupported("is no linked image"), field: nil, at: nil)
    }
    let found = try FileSlots(of: file)
    guard let symbols = found.symbols, interpreter != nil || file.isLibrary(images[0].table)
    else { return [FileDiagnosis(.staticExecutable)] }
    try found.checkAreKnown(file)
    // How many each symbol has.
    var slots = [Int](repeating: 0, count: symbols.count)
    var (slotsInData, slotsToBeSealed, markedSlots) = (slots, slots, slots)
    let isMarked = file.machine == .amd64 && images[0].table[.amd64PLT] != nil
    let asksForSealing = try file.asksForSealing
    found.forEach {
      slots[$0.symbol] += 1
      if asksForSealing, $0.isProtected { slotsToBeSealed[$0.symbol] += 1 }
      if isMarked, $0.kind == .jumpSlot, $0.addend != $0.added { markedSlots[$0.symbol] += 1 }
      if found.types.isInData($0) { slotsInData[$0.symbol] += 1 }
    }
    var search = DiagnosisSearch(sought, in: symbols)
    search.look { match, symbol in
      match.definition = scope.definition(of: symbol, at: match.index, in: symbols)
      match.slots = slots[match.index]
      match.slotsInData = slotsInData[match.index]
      match.slotsToBeSealed = slotsToBeSealed[match.index]
      match.markedSlots = markedSlots[match.index]
      if match.definition == nil, symbol.binding == .weak {
        (match.slots, match.slotsInData, match.fixedSlots) = (0, 0, match.slots)
        (match.slotsToBeSealed, match.markedSlots) = (0, 0)
        match.fixedBy = SoughtSymbol.undefinedWeak
      }
    }
    func names(_ image: Int) -> [String] {
      [images[image].table.soname, images[image].path.lastComponent, images[image].path.text]
        .compactMap { $0 }
    }
    return try search.diagnoses(
      DiagnosisSearch.Context(
        file: file, hasFile: true, wantsGuesses: true, table: images[0].table, scope: scope,
        isComplete: missing.allSatisfy(\.isPreload), ownNames: names(0),
        slotCount: { slots[$0] }, names: names,
        dlopen: { dlopenDiagnoses(of: sought) }))
  }

  /// The libraries of notes that define a symbol, and those that may.
  private func dlopenDiagnoses(of sought: SoughtSymbol) -> [FileDiagnosis] {
    var found: [FileDiagnosis] = []
    var missing: [String] = []
    var seen: Set<String> = []
    for library in dlopenLibraries() {
      guard let (name, path, file) = library.found,
        let table = try? file.dynamicTable ?? DynamicTable(),
        let symbols = try? SymbolTable(of: file)
      else {
        let names = library.note.name
        if seen.insert(names).inserted { missing.append(names) }
        continue
      }
      let names = [name, table.soname, path.lastComponent, path.text]
      let isWanted = sought.library.map { names.contains($0) } ?? true
      guard isWanted, SymbolScope([symbols], kind).defines(sought) else { continue }
      let definition = DlopenDefinition(
        library: path, image: images[library.image].path, isOwn: library.image == 0,
        priority: library.note.priority)
      found.append(FileDiagnosis(.dlopen, name, dlopen: definition))
    }
    if found.isEmpty, !missing.isEmpty {
      found.append(FileDiagnosis(.dlopenMissing, missing.joined(separator: ",")))
    }
    return found
  }
}

extension SymbolScope {
  fileprivate func defines(_ sought: SoughtSymbol) -> Bool {
    sought.withName { name in
      guard var version = sought.version.map({ $0 + "\0" }) else {
        return definition(of: name, version: nil) != nil
      }
      return version.withUTF8 {
        definition(of: name, version: UnsafeRawBufferPointer($0)) != nil
      }
    }
  }
}

extension DynamicTag {
  /// The PLT whose entries' addresses are the addends of jump slots, as `ld -z mark-plt` writes them.
  /// The corresponding constant is `DT_X86_64_PLT`.
  fileprivate static let amd64PLT = Self(rawValue: 0x7000_0000)
}

extension ELFFile {
  /// False for a program: this is asked where no loader is known.
  func isLibrary(_ table: DynamicTable) -> Bool {
    type == .sharedObject && !table.flags1.contains(.positionIndependentExecutable)
  }
}
