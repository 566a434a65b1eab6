import TestSupport

/// The README's table of products says what the manifest says. `Scripts/test-products` builds them.
@Suite(.measured) struct ProductTableTests {
  /// | products | what they are | the trait, and what it fetches | seconds |
  struct Row: Equatable, CustomStringConvertible {
    var traits: Set<String> = []
    var fetched: Set<String> = []
    /// Debian packages. README says that no product needs one.
    var installed: Set<String> = []

    var description: String { "\(traits.sorted()) \(fetched.sorted()) \(installed.sorted())" }
  }

  private let manifest: Manifest
  private let table: [String: Row]

  init() throws {
    let scratch = try TemporaryDirectory()
    let result = try run(
      "swift",
      [
        "package", "--package-path", Places.package.path, "--scratch-path", scratch.url.path,
        "dump-package",
      ], environment: ["REBIND_HAS_MACRO_PLUGIN": ""])
    try #require(result.succeeded, "\(result.errorOutput)")
    manifest = try JSONDecoder().decode(Manifest.self, from: Data(result.output.utf8))
    let readme = try String(
      contentsOf: Places.package.appending(path: "README.md"), encoding: .utf8)
    try #require(readme.contains("Nothing has\nto be installed."))
    let lines = readme.components(separatedBy: "| product | ").last?.split(separator: "\n") ?? []
    let rows = lines.prefix { $0.contains("|") }.flatMap { line -> [(String, Row)] in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let needs = cells.count == 4 ? Self.names(cells[2]) : []
      let row = Row(traits: Set(needs.prefix(1)), fetched: Set(needs.dropFirst()))
      return Self.names(cells[0]).map { ($0, row) }
    }
    table = Dictionary(uniqueKeysWithValues: rows)
  }

  /// The texts between backquotes.
  private static func names(_ cell: String) -> [String] {
    cell.matches(of: /`([^`]+)`/).map { String($0.1) }
  }

  @Test func namesEachProduct() {
    #expect(Set(table.keys) == Set(manifest.products.map(\.name)))
  }

  @Test func saysWhatIsFetchedAndInstalled() {
    for product in manifest.products {
      #expect(table[product.name] == manifest.needs(of: product), "\(product.name)")
    }
  }

  /// With no trait, nothing is fetched: that is what the README advises.
  @Test func noProductNeedsAPackageWithoutATrait() {
    for product in manifest.products {
      let needs = manifest.needs(of: product)
      #expect(needs.traits.isEmpty == needs.fetched.isEmpty, "\(product.name)")
    }
    #expect(manifest.defaultTraits == Set(manifest.traits.map(\.name)).subtracting(["default"]))
  }

  /// So that the tests pass with any set of traits.
  @Test func eachSuiteThatRunsTheCommandSaysSo() throws {
    let folder = Places.package.appending(path: "Tests/RebindInspectTests")
    let sources = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".swift") }
    #expect(sources.count > 60)
    for source in sources {
      let text = try String(contentsOf: folder.appending(path: source), encoding: .utf8)
      #expect(
        text.matches(of: /(?m)^@Suite/).count
          == text.matches(of: /\.needsCommands|!PackageTraits\.hasCommands/).count, "\(source)")
    }
  }

  /// So that the package builds with any set of traits.
  @Test(arguments: [("rebind-inspect", "Commands"), ("RebindMacrosPlugin", "Macros")])
  func eachSourceStandsInTheConditionOfItsTrait(target: String, trait: String) throws {
    let folder = Places.package.appending(path: "Sources/\(target)")
    let sources = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".swift") }
    try #require(!sources.isEmpty)
    for source in sources {
      let text = try String(contentsOf: folder.appending(path: source), encoding: .utf8)
      #expect(
        "\n\(text)".contains("\n#if \(trait)\n") && text.hasSuffix("\n#endif\n"), "\(source)")
    }
  }
}

/// The output of `swift package dump-package`.
struct Manifest: Decodable {
  struct Product: Decodable {
    var name: String
    var targets: [String]
  }

  struct Trait: Decodable {
    var name: String
    var enabledTraits: [String]
  }

  struct Target: Decodable {
    struct Provider: Decodable { var apt: [[String]]? }

    var name: String
    var dependencies: [Dependency]
    var providers: [Provider]?
  }

  /// Of a target: another one of this package, or a product of another package.
  struct Dependency: Decodable {
    enum CodingKeys: String, CodingKey { case byName, target, product }

    struct Condition: Decodable { var traits: [String]? }

    var name: String
    var package: String?
    var traits: [String] = []

    /// Each kind is an array of names and, last, of the condition; null without one.
    init(from decoder: any Decoder) throws {
      let kinds = try decoder.container(keyedBy: CodingKeys.self)
      let kind = try #require(kinds.allKeys.first)
      var values = try kinds.nestedUnkeyedContainer(forKey: kind)
      name = try values.decode(String.self)
      if kind == .product { package = try values.decode(String?.self) }
      while !values.isAtEnd {
        if let condition = try? values.decode(Condition.self) {
          traits = condition.traits ?? []
        } else {
          _ = try values.decodeNil()
        }
      }
    }
  }

  var products: [Product]
  var targets: [Target]
  var traits: [Trait]

  var defaultTraits: Set<String> {
    Set(traits.first { $0.name == "default" }?.enabledTraits ?? [])
  }

  /// The needs of a product, with the targets that it is made of.
  func needs(of product: Product) -> ProductTableTests.Row {
    var row = ProductTableTests.Row()
    var waiting = product.targets
    var seen: Set<String> = []
    while let name = waiting.popLast() {
      guard seen.insert(name).inserted, let target = targets.first(where: { $0.name == name })
      else { continue }
      row.installed.formUnion((target.providers ?? []).compactMap(\.apt).joined().joined())
      for dependency in target.dependencies {
        row.traits.formUnion(dependency.traits)
        if let package = dependency.package { row.fetched.insert(package) }
        waiting.append(dependency.name)
      }
    }
    return row
  }
}
