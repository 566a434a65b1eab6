#if Commands

import ELFInspection
import RebindFiles

/// The output of `requires` for a file, or for a file and the libraries that it needs.
struct RequirementReport: TableBody {
  let subject: ReportSubject
  let rows: [RequirementRow]
  let demangling: Demangling
  /// The versions that exceed the limits, a line each.
  let excesses: [String]
  /// The limits whose prefix no version has, neither one that is needed nor one that systems have.
  let unknownLimits: [VersionName]
  /// The C library that the file needs, which decides the systems that are named; nil if it needs none.
  let kind: KnownSystem.Kind?
  /// The parts of notes that cannot be read, a line each.
  let warnings: [String]

  /// A requirement of one image.
  private struct Asked {
    let version: FileRequirements.Version
    let image: FilePath
    let requirements: FileRequirements

    var blamed: [String] { requirements.symbols(of: version) }
  }

  static let listing = Listing<Self>(
    "requirementList", of: "the file",
    [
      Field(
        "requirements", .list(RequirementRow.listing.record, atLeast: 1),
        "the requirements, and behind them the oldest known systems that meet them"
      ) { .list(RequirementRow.listing, $0.rows) }
    ])

  static var rowListing: Listing<RequirementRow> { RequirementRow.listing }

  func writeText(_ style: TextStyle, in output: inout OutputBuffer) {
    RequirementRow.listing.shown(demangling).table(rows).write(style, in: &output)
  }

  /// - Parameter files: The file itself, and with `--closure` its libraries behind it.
  init(
    _ subject: ReportSubject, _ files: [(path: FilePath, file: ELFFile)], limits: [VersionName],
    _ demangling: Demangling
  ) throws(ELFFileError) {
    self.subject = subject
    var found: [(path: FilePath, requirements: FileRequirements)] = []
    for (path, file) in files { found.append((path, try FileRequirements(of: file))) }
    warnings = found.flatMap { path, requirements in
      let place = path.text == subject.path.text ? "" : "\(path.text): "
      return requirements.dlopen.problems.map { place + $0 }
    }
    let asked = found.flatMap { path, requirements in
      requirements.versions.map {
        Asked(version: $0, image: path, requirements: requirements)
      }
    }
    let runtime = found[0].requirements.runtime
    let kind: KnownSystem.Kind =
      runtime == .glibc ? .glibc(subject.machine, subject.elfClass) : .other
    self.kind = runtime == .none ? nil : kind
    let families = KnownSystem.families(of: kind)
    var first = Self.row(of: found[0].requirements, subject.path)
    if runtime == .glibc, families.isEmpty {
      first.note = "which systems have its versions is not known here for \(subject.machine.word)"
    }
    var rows =
      [first] + Self.highest(asked) + Self.marks(asked) + Self.others(found)
      + Self.oldest(families, asked.map(\.version))
    if demangling != .none {
      for index in rows.indices {
        rows[index].demangledSymbols = rows[index].symbols.map { Demangler.demangled($0) ?? $0 }
      }
    }
    (self.rows, self.demangling) = (rows, demangling)
    unknownLimits = limits.filter { limit in
      !KnownSystem.prefixes.contains(limit.prefix)
        && !asked.contains { $0.version.number?.prefix == limit.prefix }
    }
    excesses = asked.flatMap { asked in
      limits.filter { asked.version.exceeds($0) }.map { limit in
        let blamed = asked.blamed
        let reason = blamed.isEmpty ? "a mark of the linker's" : blamed.joined(separator: " ")
        let place = asked.image.text == subject.path.text ? "" : ", in \(asked.image.text)"
        return "\(asked.version.name) of \(asked.version.library) is newer than \(limit.text)"
          + "\(place): \(reason)"
      }
    }
  }

  private static func row(
    of requirements: FileRequirements, _ path: FilePath
  ) -> RequirementRow {
    let note: String? =
      switch (requirements.runtime, requirements.lack) {
      case (.glibc, _): nil
      case (.musl, _): "musl has no versions of symbols: they do not say which release it needs"
      case (.other, _): "it is for a C library that is not known here, neither glibc nor musl"
      case (.none, .notLinked): "it is an object file: a linker has yet to choose its libraries"
      case (.none, .debugFile): "it has debugging information alone: ask the file that it is about"
      case (.none, .imports(1)):
        "it names no library, but imports a symbol: what loads it has to have that"
      case (.none, .imports(let count)):
        "it names no library, but imports \(count) symbols: what loads it has to have them"
      case (.none, _): "it needs no library"
      }
    return RequirementRow(
      kind: .libc, name: requirements.runtime.rawValue, version: nil, image: path, note: note)
  }

  /// For each library and prefix the highest version, where they come first.
  private static func highest(_ asked: [Asked]) -> [RequirementRow] {
    var highest: [(name: VersionName, asked: Asked)] = []
    for asked in asked {
      guard let name = asked.version.number, !asked.version.isMark else { continue }
      if let place = highest.firstIndex(where: {
        $0.name.prefix == name.prefix && $0.asked.version.library == asked.version.library
      }) {
        if name.isNewer(than: highest[place].name) { highest[place] = (name, asked) }
      } else {
        highest.append((name, asked))
      }
    }
    return highest.map { row(.version, $0.asked) }
  }

  /// Marks, and versions without numbers, once each.
  private static func marks(_ asked: [Asked]) -> [RequirementRow] {
    var seen: Set<String> = []
    return asked.filter { asked in
      (asked.version.isMark || asked.version.number == nil)
        && seen.insert("\(asked.version.library) \(asked.version.name)").inserted
    }.map { row($0.version.isMark ? .mark : .version, $0) }
  }

  private static func row(_ kind: RequirementRow.Kind, _ asked: Asked) -> RequirementRow {
    let version = asked.version
    let since = version.since?.text
    return RequirementRow(
      kind: kind, name: version.library, version: version.name, since: since,
      symbols: asked.blamed, image: asked.image,
      note: version.isPrivate
        ? "only glibc's own files have it"
        : since.flatMap { $0 == version.name ? nil : "since \($0)" }, asked: version)
  }

  private static func others(
    _ found: [(path: FilePath, requirements: FileRequirements)]
  ) -> [RequirementRow] {
    found.flatMap { path, requirements in
      (requirements.level.map {
        [RequirementRow(kind: .level, name: "cpu", version: $0, image: path)]
      } ?? [])
        + requirements.dlopen.entries.map { note in
          let words = [note.feature, note.description].filter { !$0.isEmpty }
          return RequirementRow(
            kind: .dlopen, name: note.name, version: note.priority,
            image: path, note: words.isEmpty ? nil : words.joined(separator: ": "))
        }
    }
  }

  /// For each family the oldest of the systems that has all versions.
  static func oldest(
    _ families: [KnownSystem.Family], _ versions: [FileRequirements.Version]
  ) -> [RequirementRow] {
    let isUnknown = versions.contains(where: \.isUnknown)
    var newest: [String: VersionName] = [:]
    for version in versions.compactMap(\.since) {
      if let other = newest[version.prefix], !version.isNewer(than: other) { continue }
      newest[version.prefix] = version
    }
    let needed = Array(newest.values)
    return families.map { family in
      let oldest =
        isUnknown
        ? nil : family.releases.first { release in needed.allSatisfy { release.has($0) } }
      return RequirementRow(
        kind: .system, name: family.name, version: oldest?.release, image: nil,
        note: oldest?.source ?? "newer than all that are known")
    }
  }
}

#endif
