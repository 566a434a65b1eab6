import Rebind
package import RebindFiles

/// Facts of a file that say which systems it runs on.
package struct FileRequirements {
  /// The C library that the file is for.
  package enum Runtime: String, CaseIterable, Sendable {
    case glibc, musl
    /// Neither of them, as Android's.
    case other
    /// It names no library, as a static program.
    case none
  }

  /// Why a file names no library.
  package enum Lack: Equatable, Sendable {
    /// A linker has yet to choose the libraries of an object file.
    case notLinked
    /// The dynamic table of a file of debugging information is in the file that it is about.
    case debugFile
    /// So many imports are left to what loads the file.
    case imports(Int)
    /// It needs nothing.
    case nothing
  }

  /// A version of symbols that the file needs.
  package struct Version: Sendable {
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
      let number = VersionName(name)
      self.number = number
      isOfSystem = KnownSystem.defines(version: name, library)
      known = isOfSystem ? KnownSystem.origin(of: name, number) : number
    }

    /// True for a version of the C library's, of libstdc++'s or of libgcc's.
    fileprivate let isOfSystem: Bool

    /// True for a version that no symbol asks for, such as `GLIBC_ABI_DT_RELR`.
    package var isMark: Bool { symbols.isEmpty }
  }

  package let runtime: Runtime
  /// Nil if it names a library or a loader.
  package let lack: Lack?
  package let versions: [Version]
  /// The level of the instruction set that the file needs, `x86-64-v3`; nil if it does not say.
  package let level: String?
  package let dlopen: DlopenNotes
  private let table: SymbolTable?

  /// The names of the symbols that ask for a version, in the order of the table.
  package func symbols(of version: Version) -> [String] {
    guard let table else { return [] }
    return version.symbols.map { table.strings.string(at: table[$0].nameOffset) }
  }

  package init(of file: ELFFile) throws(ELFFileError) {
    try file.checkIsNoCore()
    table = try SymbolTable(of: file)
    var symbols: [[Int]] = []
    if let table, let versions = table.versions {
      for index in table.indices {
        let number = Int(versions.indices.entry(index, as: UInt16.self) & 0x7fff)
        guard number > 1 else { continue }
        if number >= symbols.count {
          symbols.append(contentsOf: repeatElement([], count: number + 1 - symbols.count))
        }
        symbols[number].append(index)
      }
    }
    versions = try Self.versions(of: file, symbols)
    let notes = try file.notes
    level = Self.level(notes)
    dlopen = DlopenNotes(of: notes)
    let needed = try file.dynamicTable?.needed ?? []
    let interpreter = try file.interpreter
    if needed.isEmpty, interpreter == nil {
      runtime = .none
      lack = Self.lack(of: file, table)
    } else {
      let kind = LoaderKind(interpreter: interpreter, needed: needed)
      runtime = Self.runtime(kind, interpreter, versions)
      lack = nil
    }
  }

  /// The C library that a file is for, which names a loader or libraries.
  static func runtime(
    of file: ELFFile, _ kind: LoaderKind, _ interpreter: String?
  ) throws(ELFFileError) -> Runtime {
    runtime(kind, interpreter, try versions(of: file, []))
  }

  /// - Parameter symbols: The places of the symbols that ask for a version, by its number.
  private static func versions(
    of file: ELFFile, _ symbols: [[Int]]
  ) throws(ELFFileError) -> [Version] {
    try file.versions.needs.flatMap { need in
      need.versions.filter { $0.flags & FileVersions.weak == 0 }.map {
        let symbols = symbols.indices.contains($0.index) ? symbols[$0.index] : []
        return Version($0.name, of: need.file, symbols: symbols)
      }
    }
  }

  private static func runtime(
    _ kind: LoaderKind, _ interpreter: String?, _ versions: [Version]
  ) -> Runtime {
    // musl has no versions, and glibc's are known by their names.
    if versions.contains(where: { $0.library.hasPrefix("libc.so") && !$0.isOfSystem }) {
      return .other
    }
    if kind == .musl { return .musl }
    guard let interpreter, !versions.contains(where: \.isOfSystem) else { return .glibc }
    let name = FilePath(interpreter).lastComponent
    return namesOfLoaders.contains { name.hasPrefix($0) } ? .glibc : .other
  }

  /// How the names of glibc's loaders start.
  private static let namesOfLoaders = ["ld-linux", "ld.so", "ld64.so", "ld-lsb", "ld-2."]

  private static func lack(of file: ELFFile, _ table: SymbolTable?) -> Lack {
    if file.isRelocatable { return .notLinked }
    if file.isDebugFile { return .debugFile }
    // Weak ones may stay without a definition.
    let imports = table.map { table in
      table.indices.count {
        !table[$0].isDefined && table[$0].binding == .global && table.name(of: table[$0])[0] != 0
      }
    }
    return imports.map { $0 > 0 ? .imports($0) : .nothing } ?? .nothing
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
  /// True if the file needs more than a limit of the same prefix allows. A mark of a system library's that
  /// is not known is newer than all that are.
  package func exceeds(_ limit: VersionName) -> Bool {
    // A library of somebody else's may have a version that is called as glibc's are.
    if KnownSystem.prefixes.contains(limit.prefix), !isOfSystem { return false }
    if let number, number.prefix == limit.prefix { return number.isNewer(than: limit) }
    if let known { return known.isNewer(than: limit) }
    return isOfSystem
      ? isUnknown && name.hasPrefix("\(limit.prefix)_") : name.hasPrefix("\(limit.prefix)_ABI_")
  }

  /// True for a mark that no release is known to have, of a library that the table knows. Each release
  /// has what is private to glibc's own files, for these alone.
  package var isUnknown: Bool { isOfSystem && known == nil && !isPrivate }

  /// True for what glibc's own files have for each other.
  package var isPrivate: Bool { isOfSystem && name == "GLIBC_PRIVATE" }

  /// For a version of a system library, the version itself; for a mark, the version that came with it.
  /// Nil for other libraries, and for unknown marks.
  package var since: VersionName? { isOfSystem ? known : nil }
}
