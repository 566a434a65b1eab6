import Rebind
package import RebindFiles

/// The facts of a file that are compared with another's: a text for each name, by kind.
package struct FileFacts {
  package private(set) var facts: [FileChange.Kind: [ExactText: ExactText]] = [:]

  /// A name, and what the file has for it.
  typealias Fact = (name: String, value: String)

  /// - Throws: `ELFFileError` if the file contradicts itself, or is no image: a core file, or what was
  ///   split from one.
  /// - Complexity: O(symbols + relocations + notes).
  package init(of file: ELFFile, _ kinds: Set<FileChange.Kind>) throws(ELFFileError) {
    try Self.check(file)
    for kind in kinds { facts[kind] = Self.byName(try Self.facts(of: file, kind)) }
  }

  /// Throws for a file whose tables are elsewhere: no difference would say nothing.
  private static func check(_ file: ELFFile) throws(ELFFileError) {
    try file.checkIsNoCore()
    if file.isDebugFile {
      throw file.reader.error(.unsupported("has only debug information"), field: nil, at: nil)
    }
  }

  /// Facts that were read elsewhere.
  init(_ facts: [FileChange.Kind: [Fact]]) { self.facts = facts.mapValues(Self.byName) }

  /// The facts by their names; a name that is there twice keeps its last fact.
  static func byName(_ facts: [Fact]) -> [ExactText: ExactText] {
    Dictionary(facts.map { (ExactText($0.name), ExactText($0.value)) }, uniquingKeysWith: { $1 })
  }

  /// In the order of the file.
  var neededLibraries: [String] {
    facts[.neededOrder]?.values.first?.string.split(separator: " ").map(String.init) ?? []
  }

  static func order(_ names: [String]) -> [Fact] {
    names.isEmpty ? [] : [("order", names.joined(separator: " "))]
  }

  private static func facts(
    of file: ELFFile, _ kind: FileChange.Kind
  ) throws(ELFFileError) -> [Fact] {
    switch kind {
    case .header:
      return [
        ("class", String(file.elfClass.addressSize * 8)),
        ("byteOrder", file.byteOrder == .little ? "little" : "big"),
        ("machine", String(file.machine.rawValue)), ("type", String(file.type.rawValue)),
      ]
    case .buildID: return single("build-id", try file.buildID?.description)
    case .interpreter: return single("interpreter", try file.interpreter)
    case .soname: return single("soname", try file.dynamicTable?.soname)
    case .needed:
      return (try file.dynamicTable?.needed ?? []).map { ($0, "") }
    case .neededOrder: return order(try file.dynamicTable?.needed ?? [])
    case .exportValue, .slotValue: return []
    case .searchPath:
      let table = try file.dynamicTable
      return single("rpath", table?[.rpath]?.string) + single("runpath", table?[.runPath]?.string)
    case .definedVersion:
      let versions = try file.versions.definitions.filter { $0.flags & FileVersions.base == 0 }
      return versions.map { ($0.name, $0.parents.joined(separator: " ")) }
    case .neededVersion:
      return try file.versions.needs.flatMap { need in
        need.versions.map {
          ("\(need.file):\($0.name)", $0.flags & FileVersions.weak != 0 ? "weak" : "")
        }
      }
    case .export:
      return try symbols(of: file) { symbol, index, table in
        table.exports(symbol, at: index)
          || file.isRelocatable && symbol.isDefined && symbol.binding != .local
      } as: { symbol in
        let hasSize = symbol.type == .object || symbol.type == .threadLocal
        return (hasSize ? "\(symbol.type) \(symbol.size)" : "\(symbol.type)")
          + (symbol.binding == .weak ? " WEAK" : "")
      }
    case .import:
      return try symbols(of: file) { symbol, _, _ in
        !symbol.isDefined
      } as: {
        "\($0.binding)"
      }
    case .slot: return try slots(of: file)
    case .hardening: return try hardening(of: file)
    }
  }

  /// Stands for an unknown fact.
  static let unknown = "unknown"

  private static func single(_ name: String, _ value: String?) -> [Fact] {
    value.map { [(name, $0)] } ?? []
  }

  private static func symbols(
    of file: ELFFile, where isWanted: (SymbolEntry, Int, SymbolTable) -> Bool,
    as text: (SymbolEntry) -> String
  ) throws(ELFFileError) -> [Fact] {
    guard let table = try linkedSymbols(of: file) else { return [] }
    var found: [Fact] = []
    for index in table.indices {
      let symbol = table[index]
      guard isWanted(symbol, index, table), table.name(of: symbol)[0] != 0 else { continue }
      found.append((try table.versionedName(at: index), text(symbol)))
    }
    return found
  }

  /// The symbols that loaders bind by; for an object file, the symbols that linkers bind by.
  private static func linkedSymbols(of file: ELFFile) throws(ELFFileError) -> SymbolTable? {
    guard file.isRelocatable else { return try SymbolTable(of: file) }
    return try SymbolTable(ofLinkersIn: file)
  }

  /// How many slots of each type of relocation a symbol has.
  private static func slots(of file: ELFFile) throws(ELFFileError) -> [Fact] {
    let slots = try FileSlots(of: file)
    guard let symbols = slots.symbols else { return [] }
    var counts: [Int: [UInt32: Int]] = [:]
    slots.forEach { slot in
      guard let type = slots.types.type(of: slot.kind) else { return }
      counts[slot.symbol, default: [:]][type, default: 0] += 1
    }
    let names = RelocationNames(of: file.machine)
    var found: [Fact] = []
    for (symbol, types) in counts {
      let texts = types.sorted { $0.key < $1.key }.map { type, count in
        "\(count) " + String(decoding: names.text(of: type), as: UTF8.self)
      }
      found.append((try symbols.versionedName(at: symbol), texts.joined(separator: ", ")))
    }
    return found
  }

  private static func hardening(of file: ELFFile) throws(ELFFileError) -> [Fact] {
    let hardening = try file.hardening
    let headers = hardening.headers
    func text(_ value: Bool) -> String { value ? "yes" : "no" }
    return [
      ("kind", hardening.kind.rawValue), ("relro", headers.relro.rawValue),
      ("binds-now", text(headers.bindsNow)),
      ("non-executable-stack", text(headers.hasNonExecutableStack)),
      ("text-relocations", text(headers.hasTextRelocations)),
      ("writable-code", text(headers.hasWritableCode)),
      ("stack-protector", hardening.hasStackProtector.map(text) ?? unknown),
      ("fortified", hardening.knowsFortified ? text(!hardening.fortified.isEmpty) : unknown),
      ("branch-protections", hardening.branchProtections.sorted().joined(separator: " ")),
      ("symbolic", text(hardening.isSymbolic)), ("memory-seal", text(hardening.asksForSealing)),
    ]
  }
}

extension SymbolTable {
  /// `open@GLIBC_2.2.5`, or `open@@GLIBC_2.2.5` for what a reference without a version takes.
  fileprivate func versionedName(at index: Int) throws(ELFFileError) -> String {
    let symbol = self[index]
    let name = try strings.exactText(at: symbol.nameOffset)
    guard let version = versions?.version(of: symbol, at: index) else { return name }
    return name + (version.isDefault ? "@@" : "@") + (try strings.exactText(at: version.nameOffset))
  }
}
