import Foundation
import TestSupport
import Testing

/// The folders of the command are floors: a folder names types of its own and of lower floors alone.
/// The subcommands, a folder each, stand side by side on top.
@Suite(.measured, .needsCommands) struct FolderTests {
  private static let root = Places.package.appending(path: "Sources/rebind-inspect")

  /// From the bottom to below the subcommands.
  private static let floors = ["Terms", "Writing", "Reports", "Reading", "Entries"]

  private static let most = 25

  /// The words of each folder's sources, and the types that it declares.
  private struct Folder {
    let name: String
    var words: [String: Set<String>] = [:]
    var types: Set<String> = []
  }

  private static func folders() throws -> [Folder] {
    let manager = FileManager.default
    return try manager.contentsOfDirectory(atPath: root.path).sorted().compactMap { name in
      let url = root.appending(path: name)
      let files = ((try? manager.contentsOfDirectory(atPath: url.path)) ?? [])
        .filter { $0.hasSuffix(".swift") }
      if files.isEmpty { return nil }
      #expect(files.count <= most, "\(name) has \(files.count) files")
      var folder = Folder(name: name)
      for file in files {
        let source = try String(contentsOf: url.appending(path: file), encoding: .utf8)
          .replacing(/\/\/.*/, with: "")
        folder.words[file] = Set(source.matches(of: /[A-Za-z_]\w*/).map { String($0.output) })
        folder.types.formUnion(
          source.matches(of: /(?:^|\n)(?:final |private )*(?:struct|class|enum|protocol) (\w+)/)
            .map { String($0.1) })
      }
      return folder
    }
  }

  @Test func noFolderNamesTypesOfOneThatStandsAboveOrBeside() throws {
    let folders = try Self.folders()
    #expect(Set(Self.floors).isSubset(of: folders.map(\.name)))
    #expect(folders.count > Self.floors.count + 10)
    var found: [String] = []
    for folder in folders {
      for other in folders where other.name != folder.name {
        // A subcommand's folder stands on top of all floors.
        let floor = Self.floors.firstIndex(of: folder.name) ?? Self.floors.count
        let otherFloor = Self.floors.firstIndex(of: other.name) ?? Self.floors.count
        if otherFloor < floor { continue }
        for (file, words) in folder.words {
          let named = words.intersection(other.types)
          if !named.isEmpty {
            found.append("\(folder.name)/\(file) names \(named.sorted()) of \(other.name)")
          }
        }
      }
    }
    #expect(found.sorted() == [])
  }
}
