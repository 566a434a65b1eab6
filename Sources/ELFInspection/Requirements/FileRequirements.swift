import Rebind
package import RebindFiles

/// Facts of a file that say which systems it runs on.
package struct FileRequirements {
  /// The C library that the file is for.
  package enum Runtime: String, CaseIterable, Sendable {
    case glibc, musl
    /// It needs no library at all, as a static program.
    case none
  }

  /// A version of symbols that the file needs.
  package struct Version {
    /// The soname of the library that should define it.
    package let library: String
    package let name: String
    /// The name's numbers; nil without any.
    package let number: VersionName?
    /// The version, or for a mark the one that came with it; nil for one that is not known.
    package let known: VersionName?
    /// The places of the symbols that ask for it; empty for a mark, which the linker left by itself.
    fileprivate let symbols: [Int]

    fileprivate init(_ name: String, of library: String, symbols: [Int]) {
      self.name = name
      self.library = library
      self.symbols = symbols
      number = VersionName(name)
      // `CXXABI_TM_1` ends in a number, and is a mark.
      known = KnownSystem.marks[name].flatMap { VersionName($0) } ?? number
    }

    /// True for a version that no symbol asks for, such as `GLIBC_ABI_DT_RELR`.
    package var isMark: Bool { symbols.isEmpty }
  }

  package let runtime: Runtime
  package let versions: [Version]
  /// The level of the instruction set that the file needs, `x86-64-v3`; nil if it does not say.
  package let level: String?
  package let dlopen: [DlopenNote]
  private let table: SymbolTable?

  /// The names of the symbols that ask for a version, in the order of the table.
  package func symbols(of version: Version) -> [String] {
    guard let table else { return [] }
    return version.symbols.map { table.strings.string(at: table[$0].nameOffset) }
  }

  package init(of file: ELFFile) throws(ELFFileError) {
    try file.checkIsNoCore()
    table = try SymbolTable(of: file)
    var symbols: [Int: [Int]] = [:]
    if let table, let versions = table.versions {
      for index in table.indices {
        let number = Int(versions.indices.entry(index, as: UInt16.self) & 0x7fff)
        if number > 1 { symbols[number, default: []].append(index) }
      }
    }
    versions = try file.versions.needs.flatMap { need in
      need.versions.filter { $0.flags & FileVersions.weak == 0 }.map {
        Version($0.name, of: need.file, symbols: symbols[$0.index] ?? [])
      }
    }
    let notes = try file.notes
    level = Self.level(notes)
    dlopen = DlopenNote.all(in: notes)
    let needed = try file.dynamicTable?.needed ?? []
    let interpreter = try file.interpreter
    runtime =
      needed.isEmpty && interpreter == nil
      ? .none : LoaderKind(interpreter: interpreter, needed: needed) == .musl ? .musl : .glibc
  }

  /// The highest level among those that the properties name.
  private static func level(_ notes: [FileNote]) -> String? {
    for note in notes {
      guard case .properties(let properties)? = note.content else { continue }
      if let level = properties.first(where: { $0.name == "X86_ISA_1_NEEDED" })?.flags?.last {
        return level
      }
    }
    return nil
  }
}

extension FileRequirements.Version {
  /// True if the file needs more than a limit of the same prefix allows. A mark of glibc's that is not
  /// known is newer than all that are.
  package func exceeds(_ limit: VersionName) -> Bool {
    guard let known else { return name.hasPrefix("\(limit.prefix)_ABI_") }
    return known.isNewer(than: limit)
  }

  /// True for a mark that no release is known to have, of a library that the table knows. Each release
  /// has what is private to glibc's own files, for these alone.
  package var isUnknown: Bool {
    known == nil && name != "GLIBC_PRIVATE"
      && KnownSystem.prefixes.contains { name.hasPrefix("\($0)_") }
  }
}
