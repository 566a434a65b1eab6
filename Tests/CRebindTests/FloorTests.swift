import TestSupport

/// The core's files stand on floors: each calls and includes files of its own folder and of lower
/// floors alone, and never in a circle. Documentation/Areas/Core.md has the table.
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

  /// The files that a file uses: by a call, or by an include.
  typealias Uses = [String: Set<String>]

  static let rows = Result {
    let text = try String(
      contentsOf: Places.package.appending(path: "Documentation/Areas/Core.md"), encoding: .utf8)
    let start = try #require(text.firstRange(of: "## Floors"))
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

  /// The files of the core, in whatever folder, but for public headers and those of machines.
  static let files = Result {
    try FileManager.default.subpathsOfDirectory(atPath: Places.core.path)
      .filter { $0.hasSuffix(".c") || $0.hasSuffix(".h") }
      .filter { !$0.hasPrefix("arch/") && !$0.hasPrefix("include/") }
      .map { Places.core.appending(path: $0) }
  }

  /// The name of a file without its ending.
  private static func stem(_ name: String) -> String { String(name.prefix { $0 != "." }) }

  @Test func theTableNamesEachFileOnceAndInItsFolder() throws {
    let rows = try Self.rows.get().filter { $0.folder != "arch" }
    let named = rows.flatMap { row in row.files.map { "\(row.folder)/\($0)" } }
    let present = try Self.files.get().map {
      "\($0.deletingLastPathComponent().lastPathComponent)/\(Self.stem($0.lastPathComponent))"
    }
    // A file on no floor, or beside its folder, is present alone.
    #expect(Set(named) == Set(present))
    // Objects have no folder, so that a name may stand once in all of them.
    let names = rows.flatMap(\.files)
    #expect(names.count == Set(names).count)
    let ordered = rows.map(\.floor)
    #expect(ordered == ordered.sorted(by: >))
  }

  @Test func noCallRunsUpOrInACircle() throws {
    let calls = try Self.calls(in: [Fixture.core(by: .gcc)])
    let sources = try Self.files.get().filter { $0.pathExtension == "c" }
    #expect(Set(calls.keys) == Set(sources.map { Self.stem($0.lastPathComponent) }))
    #expect(calls.values.contains { !$0.isEmpty })
    #expect(try Self.faults(of: calls, in: Self.places.get()) == [])
  }

  /// The other targets have no floors, but neither do their calls run in a circle.
  @Test(
    .notInCheck,
    arguments: ["CRebindReach", "CRebindStubs", "CRebindCounting", "CRebindTesting", "CRebindRun"])
  func noCallOfATargetRunsInACircle(target: String) throws {
    let folder = Places.package.appending(path: "Sources/\(target)")
    let sources = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".c") || $0.hasSuffix(".S") }
    let scratch = try TemporaryDirectory()
    let includes = ["CRebind", "CRebindReach", "CRebindStubs", target].flatMap {
      ["-I", Places.package.appending(path: "Sources/\($0)/include").path]
    }
    try compile(
      .clang, ["-std=gnu11", "-c"] + includes + sources.map { folder.appending(path: $0).path },
      in: scratch.url)
    let calls = try Self.calls(
      in: sources.map { scratch.url.appending(path: Self.stem($0) + ".o").path })
    #expect(Set(calls.keys) == Set(sources.map(Self.stem)))
    #expect(calls.values.contains { !$0.isEmpty })
    #expect(Self.circle(in: calls) == [])
  }

  @Test func noIncludeRunsUpOrInACircle() throws {
    let includes = try Self.includes()
    #expect(includes.values.contains { !$0.isEmpty })
    #expect(try Self.faults(of: includes, in: Self.places.get()) == [])
  }

  /// `make test-core` asks of all files.
  @Test(.notInCheck) func aFieldOfALowerFloorIsNotForAHigherOne() throws {
    let scratch = try TemporaryDirectory()
    let core = scratch.url.appending(path: "CRebind")
    try FileManager.default.copyItem(at: Places.core, to: core)
    let script = Places.package.appending(path: "Scripts/owners").path
    let command = ["--core", core.path, "transactions/dlsym-slots.c"]
    #expect(try run(script, command).succeeded)
    let source = core.appending(path: "transactions/dlsym-slots.c")
    let planted = """
      void planted(struct crebind_handle *handle, struct crebind_attempt *attempt);
      void planted(struct crebind_handle *handle, struct crebind_attempt *attempt) {
        struct crebind_handle own = *handle;
        own.is_own = attempt->commit.refused != 0;
        attempt->failed_tag = 0;
        handle->batch.options.slots_only = own.is_own;
      }
      """
    try (String(contentsOf: source, encoding: .utf8) + planted)
      .write(to: source, atomically: true, encoding: .utf8)
    let result = try run(script, command)
    #expect(!result.succeeded)
    #expect(
      result.output == """
        transactions/dlsym-slots.c: planted writes slots_only of crebind_handle, which binding declares
        1 files, 1 fields that are written from a higher floor

        """)
  }

  /// The tests of uses can fail.
  @Test func usesUpSidewaysAndInACircleAreFaults() {
    let places = [
      "low": Place(floor: 1, folder: "c"), "left": Place(floor: 2, folder: "a"),
      "twin": Place(floor: 2, folder: "a"), "right": Place(floor: 2, folder: "b"),
    ]
    #expect(Self.faults(of: ["left": ["twin", "low"], "right": ["low"]], in: places) == [])
    #expect(Self.faults(of: ["low": ["left"]], in: places) == ["c/low uses a/left"])
    #expect(Self.faults(of: ["left": ["right"]], in: places) == ["a/left uses b/right"])
    #expect(
      Self.faults(of: ["left": ["twin"], "twin": ["left"]], in: places)
        == ["left is on a circle", "twin is on a circle"])
    #expect(Self.faults(of: ["left": ["new"]], in: places) == ["left or new is on no floor"])
    #expect(
      Self.circle(in: ["a": ["b"], "b": ["c"], "c": ["a"], "d": ["a"]]) == ["a", "b", "c"])
  }

  /// The uses that run up or between folders that stand side by side, and the files on circles.
  static func faults(of uses: Uses, in places: [String: Place]) -> [String] {
    var faults: [String] = []
    for (file, others) in uses.sorted(by: { $0.key < $1.key }) {
      for other in others.sorted() {
        guard let place = places[stem(file)], let below = places[stem(other)] else {
          faults.append("\(file) or \(other) is on no floor")
          continue
        }
        guard below != place, below.floor >= place.floor else { continue }
        faults.append("\(place.folder)/\(file) uses \(below.folder)/\(other)")
      }
    }
    return faults + circle(in: uses).map { "\($0) is on a circle" }
  }

  // MARK: Reading

  /// The name of the object in `folder/plan.o:` or `libcore.a[plan.o]:`.
  private static func object(_ file: some StringProtocol) -> String {
    stem(String(file.split { "/[".contains($0) }.last ?? ""))
  }

  /// By the symbols of the object files, or of those in an archive.
  static func calls(in files: [String]) throws -> Uses {
    let listing = try run("nm", ["--format=posix", "--print-file-name"] + files)
    try #require(listing.succeeded)
    var definers: [String: String] = [:]
    var wanted: [String: Set<String>] = [:]
    // An object without a symbol has no line.
    for file in files where file.hasSuffix(".o") { wanted[Self.object(file)] = [] }
    for line in listing.output.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count >= 3 else { continue }
      let object = Self.object(fields[0])
      if wanted[object] == nil { wanted[object] = [] }
      let symbol = String(fields[1])
      switch fields[2] {
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
    let published = try FileManager.default.contentsOfDirectory(
      atPath: Places.core.appending(path: "include").path)
    var uses: Uses = [:]
    for file in try files.get() {
      let text = try String(contentsOf: file, encoding: .utf8)
      let others = text.matches(of: /#include "([^"]+)"/).map { String($0.1) }
        .filter { !published.contains($0) && !$0.hasPrefix("arch/") }
        .map { String($0.split(separator: "/").last ?? "") }
      uses[file.lastPathComponent] = Set(others)
    }
    return uses
  }

  // MARK: Circles

  /// The files on circles, and between two of them: all that is left after repeatedly taking away
  /// the files that use nothing that is left, and those that nothing uses.
  static func circle(in uses: Uses) -> [String] {
    var left = uses.mapValues { $0.filter { uses[$0] != nil } }
    while true {
      let used = left.values.reduce(into: Set<String>()) { $0.formUnion($1) }
      let ends = left.filter { $0.value.isEmpty || !used.contains($0.key) }.map(\.key)
      guard !ends.isEmpty else { break }
      for end in ends { left[end] = nil }
      left = left.mapValues { $0.subtracting(ends) }
    }
    return left.keys.sorted()
  }
}
