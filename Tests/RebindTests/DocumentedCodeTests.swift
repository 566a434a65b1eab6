import TestSupport

/// The pieces of code in doc comments compile, beside what they take as given.
@Suite(.measured, .notInCheck) struct DocumentedCodeTests {
  private static let products =
    [
      "ELFVocabulary", "Rebind", "RebindConfiguration", "RebindCounting", "RebindFiles",
      "RebindRegistry", "RebindTesting",
    ]
    + (PackageTraits.hasMacros ? ["RebindAnnotations", "RebindMacros"] : [])

  @Test(arguments: products)
  func compiles(product: String) throws {
    let pieces = try DocumentedCode.of(product)
    let folder = try TemporaryDirectory()
    var files: [String] = []
    func write(_ text: String, _ name: String) throws {
      try Data("\(text)\n".utf8).write(to: folder.url.appending(path: name))
      files.append(name)
    }
    let imports = "import Glibc\nimport Testing\n" + Self.imports(of: product)
    try write(imports + (Self.given[product] ?? ""), "given.swift")
    for (index, piece) in pieces.enumerated() {
      let name = piece.description.replacing("/", with: "-")
      try write(imports + Self.file(of: piece.code, number: index), "\(name).swift")
    }
    let result = try typecheckSwift(files, in: folder.url)
    #expect(result.succeeded, "\(result.errorOutput)")
  }

  /// Nothing is overlooked: the pieces are as many as the marks of their beginnings.
  @Test(arguments: products)
  func allPiecesAreRead(product: String) throws {
    let count = try DocumentedCode.of(product).count
    let marks = try run(
      "grep", ["-rhc", "/// ```swift", Places.package.appending(path: "Sources/\(product)").path])
    #expect(count == marks.output.split(separator: "\n").compactMap { Int($0) }.reduce(0, +))
    // The others show none.
    let without = ["ELFVocabulary", "RebindConfiguration", "RebindFiles"]
    #expect(count > 0 || without.contains(product))
  }

  private static func imports(of product: String) -> String {
    switch product {
    case "RebindAnnotations": "import RebindMacros\n"
    case "RebindTesting": "import CRebind\nimport RebindTesting\nimport Synchronization\n"
    default: "import \(product)\n"
    }
  }

  /// A piece that declares what no function can is a file, others are the body of a function.
  private static func file(of code: String, number: Int) -> String {
    let lines = code.split(separator: "\n", omittingEmptySubsequences: false)
    let imports = lines.filter { $0.hasPrefix("import ") }
    let others = lines.filter { !$0.hasPrefix("import ") }.joined(separator: "\n")
    let isFile = ["@", "#annotate", "extension"].contains { code.hasPrefix($0) }
    // In an asynchronous function, Swift would choose the overloads for asynchronous bodies.
    let effects = code.contains("await ") ? " async throws" : " throws"
    return imports.map { "\($0)\n" }.joined()
      + (isFile ? others : "func example\(number)()\(effects) {\n\(others)\n}")
  }

  /// The declarations that the pieces of a product take as given.
  private static let given = [
    "Rebind": """
    enum Hooks {
      static let opening =
        Rebinding<@convention(c) (UnsafePointer<CChar>, CInt, mode_t) -> CInt>("open")
      static let closing = Rebinding<@convention(c) (CInt) -> CInt>("close")
      static let getenv =
        Rebinding<@convention(c) (UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar>?>("getenv")
    }
    func defaultShell() throws -> String { "" }
    func loadConfiguration() throws {}
    """,
    "RebindMacros": "struct SystemClock {}",
    "RebindRegistry": """
    protocol Module {}
    protocol MailService: Sendable {}
    let modules = AnnotationRegistry(group: "modules")
    let services = AnnotationRegistry(group: "services")
    """,
    "RebindTesting": """
    enum ConfigurationError: Error { case missing }
    func loadConfiguration() throws {}
    """,
  ]
}
