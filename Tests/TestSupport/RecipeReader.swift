public import Foundation

/// A line of a table of recipes is wrong.
public struct RecipeError: Error, Equatable, CustomStringConvertible {
  public var file: String
  /// From 1.
  public var line: Int
  public var reason: String
  public var description: String { "\(file):\(line): \(reason)" }
}

/// Reads Tests/Fixtures/Recipes, which says how recipes are written. Scripts/recipes.awk reads it for
/// Scripts/test-cross, and gives the same errors.
public struct RecipeReader {
  /// The recipes of a table, each variant as one.
  ///
  /// - Parameter sources: The folder of the sources that it names.
  public static func recipes(in table: URL, sources: URL = Places.fixtures) throws -> [Recipe] {
    var reader = RecipeReader(file: table.lastPathComponent, sources: sources)
    let text = try String(contentsOf: table, encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for line in text.hasSuffix("\n") ? lines.dropLast() : lines[...] { try reader.read(line) }
    guard !reader.blocks.isEmpty else { throw reader.error("no recipe") }
    try reader.finish()
    return reader.blocks.flatMap(\.recipes)
  }

  private let file: String
  private let sources: URL
  private var blocks: [Block] = []
  /// Of all recipes and their variants so far.
  private var names: Set<String> = []
  private var number = 0

  private init(file: String, sources: URL) {
    self.file = file
    self.sources = sources
  }

  // MARK: - Lines

  private mutating func read(_ line: Substring) throws {
    number += 1
    if line.contains("|") { throw error("a bar separates what is read") }
    let text = line.trimmed
    if text.isEmpty || text.hasPrefix("#") { return }
    if line.first?.isBlank == false { return try begin(line) }
    if blocks.isEmpty { throw error("a line of no recipe") }
    let keyword = text.prefix { !$0.isBlank }
    let rest = text.dropFirst(keyword.count).trimmed
    switch keyword {
    case "like": try takeOver(String(rest))
    case "library", "linked": try addLibrary(rest, isLinked: keyword == "linked")
    case "variant", "native": try addVariant(rest, isNative: keyword == "native")
    default:
      guard let keyword = Block.Keyword(rawValue: String(keyword)) else {
        throw error("unknown keyword '\(keyword)'")
      }
      try set(keyword, rest)
    }
    blocks[blocks.count - 1].isFresh = false
  }

  private mutating func begin(_ line: Substring) throws {
    if !blocks.isEmpty { try finish() }
    let colon = line.firstIndex(of: ":") ?? line.startIndex
    let name = String(line[..<colon].trimmed)
    let shows = line[colon...].dropFirst().trimmed
    if name.isEmpty { throw error("a recipe begins with its name and a colon") }
    if shows.isEmpty { throw error("'\(name)' does not say what it shows") }
    if blocks.contains(where: { $0.name == name }) { throw error("'\(name)' is there twice") }
    blocks.append(Block(name: name, shows: String(shows), line: number))
  }

  private mutating func takeOver(_ name: String) throws {
    guard let other = blocks.dropLast().first(where: { $0.name == name }) else {
      throw error("no recipe '\(name)' before it")
    }
    if !block.isFresh { throw error("'like' comes first") }
    block.lines = other.lines
    block.targetFiles = other.targetFiles
    block.libraries = other.libraries
    block.variants = other.variants
  }

  private mutating func set(_ keyword: Block.Keyword, _ text: Substring) throws {
    if text.isEmpty { throw error("'\(keyword.rawValue)' says nothing") }
    let isFirst = block.own.insert(keyword.rawValue).inserted
    if !isFirst && keyword != .prints { throw error("'\(keyword.rawValue)' is there twice") }
    if keyword == .targets { block.targetFiles = [] }
    for word in text.words {
      switch keyword {
      case .sources: try checkSource(word)
      case .targets: block.targetFiles += try files(ofTarget: word)
      case .attributes where Recipe.Attribute(rawValue: word) == nil:
        throw error("unknown attribute '\(word)'")
      case .compilers where InstrumentingCompiler(word) == nil:
        throw error("unknown compiler '\(word)'")
      case .environment where (word.firstIndex(of: "=") ?? word.startIndex) == word.startIndex:
        throw error("'\(word)' is no variable")
      default: break
      }
    }
    block.lines[keyword] = (isFirst ? [] : block.lines[keyword, default: []]) + [String(text)]
  }

  private mutating func addLibrary(_ text: Substring, isLinked: Bool) throws {
    let (name, words) = try named(text, isLinked ? "linked" : "library")
    if !block.own.insert("library \(name)").inserted { throw error("'\(name)' is there twice") }
    try checkSource(words.first ?? "")
    let library = Recipe.Library(
      name: name, source: words[0], flags: Array(words.dropFirst()), isLinked: isLinked)
    if let index = block.libraries.firstIndex(where: { $0.name == name }) {
      block.libraries[index] = library
    } else {
      block.libraries.append(library)
    }
  }

  private mutating func addVariant(_ text: Substring, isNative: Bool) throws {
    let (name, words) = try named(text, isNative ? "native" : "variant")
    if block.own.insert("variants").inserted { block.variants = [] }
    if !block.own.insert("variant \(name)").inserted { throw error("'\(name)' is there twice") }
    block.variants.append(Block.Variant(name: name, words: words, isNative: isNative))
  }

  /// The two sides of `NAME = WORD...`.
  private func named(_ text: Substring, _ keyword: String) throws -> (String, [String]) {
    let text = text + " "
    let equals = text.firstRange(of: " = ") ?? text.endIndex..<text.endIndex
    let name = text[..<equals.lowerBound].trimmed
    if name.isEmpty || name.hasPrefix("=") { throw error("'\(keyword)' has no name") }
    return (String(name), text[equals.upperBound...].words)
  }

  /// Checks what can be said of a recipe when all of it has been read.
  private mutating func finish() throws {
    if block.lines[.sources] == nil { throw error("'\(block.name)' has no sources", block.line) }
    if block.lines[.prints] == nil { throw error("'\(block.name)' prints nothing", block.line) }
    if !block.hasPlaceForVariants {
      if block.own.contains("variants") {
        throw error("'\(block.name)' has variants, and no @ for them", block.line)
      }
      block.variants = []
    }
    for recipe in block.recipes where !names.insert(recipe.name).inserted {
      throw error("'\(recipe.name)' is there twice", block.line)
    }
  }

  private func checkSource(_ name: String) throws {
    let path = sources.appending(path: name).path
    if name.isEmpty || !FileManager.default.fileExists(atPath: path) {
      throw error("no source '\(name)'")
    }
  }

  /// The C and assembler files directly in the target's folder, as sources.
  private func files(ofTarget name: String) throws -> [String] {
    let folder = "../../Sources/\(name)"
    let names = try? FileManager.default.contentsOfDirectory(
      atPath: sources.appending(path: folder).path)
    let files = (names ?? []).filter { $0.matches(pattern: "[!.]*.[cS]") }.sorted()
    if files.isEmpty || name.contains("/") { throw error("no C sources in '\(name)'") }
    return files.map { "\(folder)/\($0)" }
  }

  /// The recipe that is being read.
  private var block: Block {
    get { blocks[blocks.count - 1] }
    set { blocks[blocks.count - 1] = newValue }
  }

  private func error(_ reason: String, _ line: Int? = nil) -> RecipeError {
    RecipeError(file: file, line: line ?? number, reason: reason)
  }
}

/// A recipe as it stands in the table, with all its variants.
private struct Block {
  enum Keyword: String {
    case machines, attributes, compilers, sources, targets, flags, arguments, environment, prints
    case unless
    case quickArguments = "quick-arguments"
  }

  struct Variant {
    var name: String
    var words: [String]
    var isNative: Bool
  }

  var name: String
  var shows: String
  var line: Int
  var lines: [Keyword: [String]] = [:]
  var targetFiles: [String] = []
  var libraries: [Recipe.Library] = []
  var variants: [Variant] = []
  /// The settings that were made here, rather than taken over.
  var own: Set<String> = []
  /// True as long as nothing but its first line has been read.
  var isFresh = true

  init(name: String, shows: String, line: Int) {
    self.name = name
    self.shows = shows
    self.line = line
  }

  var hasPlaceForVariants: Bool {
    let words =
      [.flags, .arguments, .quickArguments, .environment].flatMap { self[$0] }
      + libraries.flatMap(\.flags)
    return words.contains { $0.replacing("@core", with: "").contains("@") }
  }

  var recipes: [Recipe] {
    variants.isEmpty
      ? [recipe(name, [], isNative: false)]
      : variants.map { recipe("\(name), \($0.name)", $0.words, isNative: $0.isNative) }
  }

  private func recipe(_ name: String, _ variant: [String], isNative: Bool) -> Recipe {
    func filled(_ words: [String]) -> [String] {
      words.joined(separator: " ").split(separator: "@core", omittingEmptySubsequences: false)
        .map { $0.replacing("@", with: variant.joined(separator: " ")) }
        .joined(separator: "@core").words
    }
    let attributes = self[.attributes].compactMap(Recipe.Attribute.init)
    return Recipe(
      name: name, shows: shows, machines: self[.machines, default: "*"],
      attributes: isNative && !attributes.contains(.notCrossed)
        ? attributes + [.notCrossed] : attributes,
      compilers: self[.compilers, default: "gcc clang"].compactMap(InstrumentingCompiler.init),
      sources: self[.sources] + targetFiles,
      flags: filled(self[.flags])
        + self[.targets].flatMap { ["-I", "~/../../Sources/\($0)/include"] },
      libraries: libraries.map {
        var library = $0
        library.flags = filled(library.flags)
        return library
      },
      environment: filled(self[.environment]), arguments: filled(self[.arguments]),
      quickArguments: filled(self[.quickArguments]), unless: lines[.unless]?.first ?? "",
      prints: lines[.prints] ?? [])
  }

  /// The words of a line.
  private subscript(keyword: Keyword, default words: String = "") -> [String] {
    (lines[keyword]?.first ?? words).words
  }
}

extension Character {
  fileprivate var isBlank: Bool { self == " " || self == "\t" }
}

extension StringProtocol where SubSequence == Substring {
  fileprivate var words: [String] { split(whereSeparator: \.isBlank).map(String.init) }

  fileprivate var trimmed: Substring {
    var text = drop(while: \.isBlank)
    while text.last?.isBlank == true { text.removeLast() }
    return text
  }
}
