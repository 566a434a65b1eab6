import TestSupport

/// The folders of the command are floors: a folder names types of its own and of lower floors alone,
/// and static members that it or they add to types. The subcommands, a folder each, stand side by side
/// above the floors, and the command itself, in no folder, on top.
@Suite(.measured, .needsCommands) struct FolderTests {
  private static let sources = Places.package.appending(path: "Sources")
  private static let root = sources.appending(path: "rebind-inspect")

  /// From the bottom to below the subcommands.
  private static let floors = ["Vocabulary", "Writing", "Reports", "Reading", "SymbolsAndSlots"]

  private static let most = 25

  /// The sources of a folder: what they name, and what they declare.
  private struct Folder {
    /// Empty for the command itself.
    let name: String
    var words: [String: Set<String>] = [:]
    /// The names that stand behind a dot without a value in front: `.demangled`.
    var members: [String: Set<String>] = [:]
    var declared = Declared()

    var floor: Int {
      name.isEmpty ? floors.count + 1 : floors.firstIndex(of: name) ?? floors.count
    }
  }

  /// The names that a source declares for other files.
  private struct Declared: Equatable {
    var types: Set<String> = []
    /// Static members that extensions of types add.
    var members: Set<String> = []
    /// These and all other members, cases and variables.
    var names: Set<String> = []

    init() {}

    init(_ source: String) {
      // Modifiers and attributes stand in front.
      let type = /(?:^|\n)(?:[a-z@][^\n={]* )?(?:struct|class|enum|protocol|actor|typealias) (\w+)/
      types = Set(source.matches(of: type).map { String($0.1) })
      names = Set(source.matches(of: /\b(?:case|var|let|func) (\w+)/).map { String($0.1) })
      let extensions = source.matches(of: /\nextension [^\n]*\{\n(.*?)\n\}/.dotMatchesNewlines())
      for found in extensions {
        members.formUnion(
          found.1.matches(of: /(?:^|\n)  static (?:let|var|func) (\w+)/).map { String($0.1) })
      }
    }
  }

  private static func folders() throws -> [Folder] {
    let manager = FileManager.default
    let names = try manager.contentsOfDirectory(atPath: root.path).sorted()
    return try ([""] + names).compactMap { name in
      let url = root.appending(path: name)
      let files = ((try? manager.contentsOfDirectory(atPath: url.path)) ?? [])
        .filter { $0.hasSuffix(".swift") }
      if files.isEmpty { return nil }
      var folder = Folder(name: name)
      for file in files {
        let source = try String(contentsOf: url.appending(path: file), encoding: .utf8)
          .replacing(/\/\/.*/, with: "")
        folder.words[file] = Set(source.matches(of: /[A-Za-z_]\w*/).map { String($0.output) })
        folder.members[file] = Set(
          // A pattern's names are mostly cases.
          source.replacing(/\bcase \.\w+/, with: "")
            .matches(of: /(?:[\s(\[:]|\b[A-Z]\w*)\.([a-z]\w*)/).map { String($0.1) })
        let declared = Declared(source)
        folder.declared.types.formUnion(declared.types)
        folder.declared.members.formUnion(declared.members)
        folder.declared.names.formUnion(declared.names)
      }
      return folder
    }
  }

  @Test func noFolderNamesWhatOneDeclaresThatStandsAboveOrBeside() throws {
    let folders = try Self.folders()
    #expect(Set(Self.floors + [""]).isSubset(of: folders.map(\.name)))
    #expect(folders.count > Self.floors.count + 10)
    var found: [String] = []
    for folder in folders {
      // A name that is declared twice may be the one below.
      let below = folders.filter { $0.floor < folder.floor || $0.name == folder.name }
      let known = below.reduce(into: Set<String>()) { $0.formUnion($1.declared.names) }
      for other in folders where other.name != folder.name && other.floor >= folder.floor {
        for (file, words) in folder.words {
          let named = words.intersection(other.declared.types).union(
            (folder.members[file] ?? []).intersection(other.declared.members).subtracting(known))
          if !named.isEmpty {
            found.append("\(folder.name)/\(file) names \(named.sorted()) of \(other.name)")
          }
        }
      }
    }
    #expect(found.sorted() == [])
  }

  @Test(arguments: ["RebindFiles", "ELFInspection", "rebind-inspect"])
  func noFolderIsADrawer(target: String) throws {
    let all = try FileManager.default.subpathsOfDirectory(
      atPath: Self.sources.appending(path: target).path)
    let folders = Dictionary(
      grouping: all.filter { $0.hasSuffix(".swift") }, by: { $0.split(separator: "/").dropLast() })
    #expect(folders.count > 3)
    let full = folders.filter { $0.value.count > Self.most }.map { $0.key.joined(separator: "/") }
    #expect(full == [])
  }

  @Test(arguments: [
    "struct Found {", "final class Found: Other {", "indirect enum Found {", "actor Found {",
    "fileprivate protocol Found {", "package struct Found<Row> {", "typealias Found = Int",
    "@main struct Found {", "@available(*, deprecated)\nprivate final class Found {",
  ])
  func aTypeIsSeen(source: String) {
    #expect(Declared(source).types == ["Found"])
    #expect(Declared("import Glibc\n\n" + source).types == ["Found"])
  }

  @Test func staticMembersOfExtensionsAreSeen() {
    let source = """
      import Glibc

      extension Presence {
        static let found = with("")
        var own: Int { 1 }

        /// Nothing.
        static func made() -> Self { .found }
      }

      struct Type {
        static let hidden = 1
      }
      """
    #expect(Declared(source).members == ["found", "made"])
    #expect(Declared("  let a = 1  struct\n\nlet enumeration = 2").types == [])
  }
}
