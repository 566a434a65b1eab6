import Foundation
import TestSupport
import Testing

/// The recipes of Tests/Fixtures/Recipes, each in a child process: a fixture checks by itself and
/// prints what it found. `FIXTURES='calls*'` runs those alone whose name matches.
@Suite(.measured) struct FixtureTests {
  @Test(arguments: try FixtureRun.all(isSerial: false, isInstrumented: false))
  func fixture(run: FixtureRun) throws { try run.check() }

  @Test(
    .tags(.sanitizes), .notInCheck,
    arguments: try FixtureRun.all(isSerial: false, isInstrumented: true))
  func instrumentedFixture(run: FixtureRun) throws { try run.check() }

  /// Those in which time matters, one after the other.
  @Suite(.serialized) struct InTurn {
    @Test(arguments: try FixtureRun.all(isSerial: true, isInstrumented: false))
    func fixture(run: FixtureRun) throws { try run.check() }

    @Test(
      .tags(.sanitizes), .notInCheck,
      arguments: try FixtureRun.all(isSerial: true, isInstrumented: true))
    func instrumentedFixture(run: FixtureRun) throws { try run.check() }
  }
}

/// A recipe, and what its program is built by.
struct FixtureRun: Sendable, CustomTestStringConvertible {
  var recipe: Recipe
  var compiler: InstrumentingCompiler

  var testDescription: String { "\(recipe.name) (\(compiler))" }

  /// Those for this machine.
  static func all(isSerial: Bool, isInstrumented: Bool) throws -> [FixtureRun] {
    let pattern = ProcessInfo.processInfo.environment["FIXTURES"] ?? "*"
    let recipes = try Recipe.all().filter { $0.name.matches(pattern: pattern) }
    if recipes.isEmpty { throw MissingRecipe(name: pattern) }
    return
      recipes.filter {
        $0.isFor(machine: Recipe.thisMachine) && $0.attributes.contains(.serial) == isSerial
      }
      .flatMap { recipe in
        recipe.compilers.prefix(isInnerLoop ? 1 : .max)
          .map { FixtureRun(recipe: recipe, compiler: $0) }
      }
      .filter { $0.compiler.isInstrumenting == isInstrumented }
  }

  /// Builds and runs the fixture, and compares what it prints.
  func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
    if let obstacle = try compiler.obstacle() { try Test.cancel(Comment(rawValue: obstacle)) }
    let result = try recipe.build(by: compiler).run()
    #expect(result.errorOutput == "", sourceLocation: sourceLocation)
    #expect(result.succeeded, sourceLocation: sourceLocation)
    let output = result.output.hasSuffix("\n") ? String(result.output.dropLast()) : result.output
    if !recipe.unless.isEmpty && output.matches(pattern: recipe.unless) {
      try Test.cancel("not here: \(output)")
    }
    let pattern = recipe.prints.joined(separator: "\n")
    #expect(
      output.matches(pattern: pattern), "this is no '\(pattern)'", sourceLocation: sourceLocation)
  }
}
