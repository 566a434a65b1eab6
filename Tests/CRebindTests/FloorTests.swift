import Foundation
import TestSupport
import Testing

/// The core's files stand on floors: each calls and includes files of its own folder and of lower
/// floors alone, and never in a circle. CONTRIBUTING.md has the table.
@Suite(.measured) struct FloorTests {
  /// A row of the table.
  struct Row {
    var floor: Int
    var folder: String
    var files: [String]
  }

  /// Where a file stands.
  struct Place: Equatable {
    var floor: Int
    var folder: String
  }

  /// Which files a file uses: by a call, or by an include.
  typealias Uses = [String: Set<String>]

  static let rows = Result {
    let text = try String(
      contentsOf: Places.package.appending(path: "CONTRIBUTING.md"), encoding: .utf8)
    let start = try #require(text.firstRange(of: "### The core's floors"))
    let end = try #require(text[start.upperBound...].firstRange(of: "\n#"))
    return text[start.upperBound..<end.lowerBound].split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 4, let floor = Int(cells[0]) else { return nil as Row? }
      return Row(floor: floor, folder: names(in: cells[1]).first ?? "", files: names(in: cells[2]))
    }
  }

  private static func names(in cell: String) -> [String] {
    cell.split(separator: ",").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "` ")) }
  }

  static let places = Result {
    try Dictionary(
      rows.get().flatMap { row in
        row.files.map { ($0, Place(floor: row.floor, folder: row.folder)) }
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The files of the core but for public headers and those of machines: path from its root, and URL.
  static let files = Result {
    let folders = Set(try rows.get().map(\.folder)).subtracting(["arch"])
    return try folders.flatMap { folder in
      try FileManager.default.contentsOfDirectory(
        at: Places.core.appending(path: folder), includingPropertiesForKeys: nil)
    }.filter { ["c", "h"].contains($0.pathExtension) }
  }

  /// The name of a file without its ending.
  private static func stem(_ name: String) -> String { String(name.prefix { $0 != "." }) }

  @Test func theTableNamesEachFileOnceAndInItsFolder() throws {
    let rows = try Self.rows.get().filter { $0.folder != "arch" }
    let named = rows.flatMap { row in row.files.map { "\(row.folder)/\($0)" } }
    let present = try Self.files.get().map {
      "\($0.deletingLastPathComponent().lastPathComponent)/\(Self.stem($0.lastPathComponent))"
    }
    #expect(named.count == Set(named).count)
    #expect(Set(named) == Set(present))
    // A file that stands in no folder is on no floor.
    let top = try FileManager.default.contentsOfDirectory(atPath: Places.core.path)
    #expect(!top.contains { $0.hasSuffix(".c") || $0.hasSuffix(".h") })
    let ordered = rows.map(\.floor)
    #expect(ordered == ordered.sorted(by: >))
  }

  @Test func noCallRunsUpOrInACircle() throws { try check(Self.calls()) }

  @Test func noIncludeRunsUpOrInACircle() throws { try check(Self.includes()) }

  /// The check sees what it is there for.
  @Test func aCircleIsFound() {
    #expect(
      Self.circles(in: ["a": ["b"], "b": ["c"], "c": ["a"], "d": ["a"]]) == [["a", "b", "c"]])
    #expect(Self.circles(in: ["a": ["b", "c"], "b": ["c"], "c": []]) == [])
  }

  private func check(_ uses: Uses) throws {
    let places = try Self.places.get()
    #expect(uses.values.contains { !$0.isEmpty })
    for (file, others) in uses.sorted(by: { $0.key < $1.key }) {
      let place = try #require(places[Self.stem(file)], "\(file) stands on no floor")
      for other in others.sorted() {
        let below = try #require(places[Self.stem(other)], "\(other) stands on no floor")
        #expect(
          below == place || below.floor < place.floor,
          "\(place.folder)/\(file) uses \(below.folder)/\(other)")
      }
    }
    #expect(Self.circles(in: uses) == [])
  }

  // MARK: Reading

  /// By the symbols of the object files.
  static func calls() throws -> Uses {
    let listing = try run("nm", ["--format=posix", CoreArchive.file(for: .gcc).path])
    try #require(listing.succeeded)
    var definers: [String: String] = [:]
    var wanted: [String: Set<String>] = [:]
    var object = ""
    for line in listing.output.split(separator: "\n") {
      if line.hasSuffix("]:") {  // libcore.a[plan.o]:
        let member = line.split(separator: "[").last?.dropLast(2) ?? ""
        object = stem(String(member))
        wanted[object] = []
        continue
      }
      let fields = line.split(separator: " ")
      guard fields.count >= 2 else { continue }
      let symbol = String(fields[0])
      switch fields[1] {
      case "U": wanted[object]?.insert(symbol)
      case "T", "D", "B", "R", "V", "W": definers[symbol] = object
      default: break
      }
    }
    return Dictionary(
      uniqueKeysWithValues: wanted.map { file, symbols in
        (file, Set(symbols.compactMap { definers[$0] }).subtracting([file]))
      })
  }

  /// By the sources, each with its ending.
  static func includes() throws -> Uses {
    try Dictionary(
      uniqueKeysWithValues: files.get().map { file in
        let text = try String(contentsOf: file, encoding: .utf8)
        let others = text.matches(of: /#include "([a-z]+)\/([a-z-]+\.h)"/)
          .filter { $0.1 != "arch" }.map { String($0.2) }
        return (file.lastPathComponent, Set(others))
      })
  }

  // MARK: Circles

  /// The sets of files that reach each other, by repeatedly taking away what uses nothing that is
  /// left, and what nothing uses.
  static func circles(in uses: Uses) -> [[String]] {
    var left = uses.mapValues { $0.filter { uses[$0] != nil } }
    while true {
      let used = left.values.reduce(into: Set<String>()) { $0.formUnion($1) }
      let ends = left.filter { $0.value.isEmpty || !used.contains($0.key) }.map(\.key)
      guard !ends.isEmpty else { break }
      for end in ends { left[end] = nil }
      left = left.mapValues { $0.subtracting(ends) }
    }
    return left.isEmpty ? [] : [left.keys.sorted()]
  }
}
