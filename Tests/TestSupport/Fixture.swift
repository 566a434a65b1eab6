public import Foundation
public import Testing

/// A fixture of the core, with one of its variants and a compiler, as Scripts/fixtures builds it for this machine:
/// how it is run, and what it prints. Tests/Fixtures/Recipes says more of each property.
public struct Fixture: Sendable, Hashable, Decodable, CustomTestStringConvertible {
  /// Of the recipe and the variant, as in `calls, lazy`.
  public var name: String
  /// A sentence.
  public var shows: String
  /// `gcc`, `clang`, or one with a sanitizer, as `gcc+address`.
  public var compiler: String
  public var sources: [String]
  public var flags: [String]
  /// The words of each: its name, its source, and its flags.
  public var libraries: [[String]]
  /// Where Scripts/fixtures builds it.
  var folder: String
  public var attributes: [String]
  /// Whether its compiler is the first one of its recipe that has no sanitizer. `make test` runs these alone.
  public var isFirst: Bool
  /// Whether a sanitizer is in it, or in a library of it.
  var isInstrumented: Bool
  var environment: [String]
  public var arguments: [String]
  /// In place of `arguments` where `isQuick`.
  public var quickArguments: [String]
  /// A shell pattern for each line of output.
  public var prints: [String]
  /// A shell pattern for the output of a fixture that cannot tell here, or nothing.
  public var unless: String

  public var testDescription: String { "\(name) (\(compiler))" }

  /// Whether the compiler puts a sanitizer into the program.
  public var sanitizes: Bool { compiler.contains("+") }

  /// The fixtures of this machine, one for each compiler, in the table's order.
  public static func all() throws -> [Fixture] { try table.get() }

  private static let table = Result { try read() }

  /// The fixtures of a table.
  public static func read(_ table: String...) throws -> [Fixture] {
    let result = try script(["list"] + table)
    guard result.succeeded else { throw RecipeError(description: result.errorOutput) }
    return try JSONDecoder().decode([Fixture].self, from: result.standardOutput)
  }

  /// The fixture with a name, variant included, built in a folder of its own.
  public static func named(_ name: String, by compiler: Compiler = .gcc) throws -> BuiltFixture {
    guard let fixture = try all().first(where: { $0.name == name && $0.compiler == compiler.name })
    else {
      throw RecipeError(
        description: "no recipe '\(name)' for \(compiler) in Tests/Fixtures/Recipes")
    }
    return try fixture.built()
  }

  // MARK: - Building

  /// The fixture in a folder of its own, where it may write.
  public func built() throws -> BuiltFixture {
    try Self.build(compiler, only: isFirst || sanitizes || runsAllCompilers ? nil : name)
    let program = "\(folder)/program"
    guard FileManager.default.fileExists(atPath: program) else {
      throw CompilationFailure(
        command: "building \(name)", output: try Self.script(["why", name, compiler]).output)
    }
    let directory = try TemporaryDirectory()
    let place = directory.url
    // Not by this process: a program cannot be run as long as somebody has it open for writing, and that may be
    // a child that was forked meanwhile.
    let copied = try run("cp", ["-r", "\(folder)/.", place.path])
    guard copied.succeeded else {
      throw CompilationFailure(command: "cp", output: copied.errorOutput)
    }
    func filled(_ words: [String]) -> [String] { words.map { $0.replacing("%", with: place.path) } }
    let variables = filled(environment).map { text in
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (String(parts[0]), String(parts[1]))
    }
    return BuiltFixture(
      fixture: self, arguments: filled(isQuick ? quickArguments : arguments),
      environment: Sanitizers.environment(of: compiler).merging(variables) { $1 },
      directory: directory)
  }

  /// Has the compiler's fixtures built, and its core. One call builds those of all compilers that the stage runs.
  ///
  /// - Parameter name: Has this fixture alone built, which the stage does not run.
  static func build(_ compiler: String, only name: String? = nil) throws {
    var words = [compiler]
    if compiler.contains("+") {
      words = try Set(all().filter(\.sanitizes).map(\.compiler) + [compiler]).sorted()
    } else if name == nil && Compiler.all.map(\.name).contains(compiler) {
      words = Compiler.all.map(\.name) + (runsAllCompilers ? [] : ["--first"])
    }
    try builds.value(for: words + [name ?? ""]) {
      let result = try script(["build"] + words, fixtures: name ?? "*")
      // make's status is 2 where a source does not compile: the test of its fixture says so.
      guard !result.wasSignalled, [0, 2].contains(result.status) else {
        throw RecipeError(description: result.output + result.errorOutput)
      }
    }
  }

  private static let builds = OncePerKey<[String], Void>()

  private static let built = Places.package.appending(path: ".build/fixtures")

  /// The core as a static library that a compiler has made. Name it behind the sources.
  public static func core(by compiler: Compiler) throws -> String {
    try build(compiler.name)
    return built.appending(path: "\(thisMachine)/core-\(compiler).a").path
  }

  /// An empty program of the compiler.
  static func probe(by compiler: String) throws -> String {
    try build(compiler)
    return built.appending(path: "\(thisMachine)/\(compiler)/.probe/program").path
  }

  private static func script(_ words: [String], fixtures: String = "*") throws -> ProcessResult {
    // It waits for another process that builds.
    try run(
      Places.python, [Places.package.appending(path: "Scripts/fixtures").path] + words,
      environment: ["FIXTURES": fixtures], processorTime: 1800, idle: 1800)
  }

  /// The name of this machine in Scripts/fixtures.
  #if arch(x86_64)
  private static let thisMachine = "x86-64"
  #else
  private static let thisMachine = "aarch64"
  #endif
}

/// A table of recipes has a line that is wrong, or lacks a recipe.
public struct RecipeError: Error, CustomStringConvertible {
  public var description: String
  public init(description: String) { self.description = description }
}

/// A fixture in a folder of its own.
public struct BuiltFixture: Sendable {
  public let fixture: Fixture
  public let arguments: [String]
  let environment: [String: String]
  /// Has the files as long as it is there.
  public let directory: TemporaryDirectory

  /// Where its program and libraries are, and where it may write.
  public var folder: URL { directory.url }
  public var program: URL { folder.appending(path: "program") }

  /// Runs it; ends it if it hangs, or never ends.
  ///
  /// - Parameter command: Words to stand before the program, as of strace.
  public func run(under command: [String] = []) throws -> ProcessResult {
    let words =
      command + (fixture.isInstrumented ? Sanitizers.starter : []) + [program.path] + arguments
    return try TestSupport.run(
      words[0], Array(words.dropFirst()), environment: environment, processorTime: 120)
  }
}
