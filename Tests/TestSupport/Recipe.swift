import Foundation

/// How a fixture of the core is built and run, and what it prints: a block of Tests/Fixtures/Recipes,
/// with one of its variants filled in.
public struct Recipe: Sendable, Hashable {
  public enum Attribute: String, Sendable {
    case withoutCore = "no-core"
    /// Not for Scripts/test-cross, or not for the machines that it emulates.
    case notCrossed = "no-cross"
    case notEmulated = "no-qemu"
    /// Alone among its like, as time matters.
    case serial
  }

  /// A shared object, built before the program.
  public struct Library: Sendable, Hashable {
    public var name: String
    public var source: String
    public var flags: [String]
    /// Whether the program is linked with it.
    public var isLinked: Bool
  }

  /// Of the recipe and the variant, as in `calls, lazy`.
  public var name: String
  /// A sentence.
  public var shows: String
  /// Shell patterns; the first may begin with `!`.
  public var machines: [String]
  public var attributes: [Attribute]
  public var compilers: [InstrumentingCompiler]
  public var sources: [String]
  public var flags: [String]
  public var libraries: [Library]
  /// `NAME=VALUE` each.
  public var environment: [String]
  public var arguments: [String]
  /// In place of `arguments` in Scripts/test-cross and where `isQuick`.
  public var quickArguments: [String]
  /// A shell pattern for the output of a fixture that cannot tell here.
  public var unless: String
  /// A shell pattern for each line of output.
  public var prints: [String]

  /// All recipes, in the order of the table.
  public static func all() throws -> [Recipe] { try table.get() }

  private static let table = Result {
    try RecipeReader.recipes(in: Places.fixtures.appending(path: "Recipes"))
  }

  /// The recipe with a name, variant included.
  public static func named(_ name: String) throws -> Recipe {
    guard let recipe = try all().first(where: { $0.name == name }) else {
      throw MissingRecipe(name: name)
    }
    return recipe
  }

  /// Whether the fixture is one for the machine, named as in Scripts/test-cross.
  public func isFor(machine: String) -> Bool {
    let excludes = machines.first?.hasPrefix("!") == true
    let matches = machines.contains { pattern in
      machine.matches(pattern: pattern.hasPrefix("!") ? String(pattern.dropFirst()) : pattern)
    }
    return matches != excludes
  }

  /// This machine, as Scripts/test-cross calls it.
  public static let thisMachine: String = {
    #if arch(x86_64)
    "x86-64"
    #else
    "aarch64"
    #endif
  }()
}

/// No recipe has the name.
public struct MissingRecipe: Error, CustomStringConvertible {
  public var name: String

  public init(name: String) { self.name = name }

  public var description: String { "no recipe '\(name)' in Tests/Fixtures/Recipes" }
}

extension Recipe: CustomStringConvertible {
  /// The line that `Scripts/test-cross --list` prints.
  public var description: String {
    let words: [[String]] = [
      machines, attributes.map(\.rawValue), compilers.map(\.description), sources, flags,
      libraries.flatMap { [$0.isLinked ? "linked" : "library", $0.name, $0.source] + $0.flags },
      environment, arguments, quickArguments,
    ]
    let fields = [name] + words.map { $0.joined(separator: " ") } + [unless] + prints
    return fields.joined(separator: "|")
  }
}

extension String {
  /// Whether all of it matches a shell pattern. The corresponding C function is `fnmatch`.
  public func matches(pattern: String) -> Bool { fnmatch(pattern, self, 0) == 0 }
}
