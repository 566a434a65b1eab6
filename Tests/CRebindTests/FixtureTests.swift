import TestSupport

/// The recipes of Tests/Fixtures/Recipes, each in a child process: a fixture checks by itself and
/// prints what it found. `FIXTURES='calls*'` runs those alone whose name matches.
@Suite(.measured) struct FixtureTests {
  @Test(arguments: try Fixture.chosen(isSerial: false, isFirst: true))
  func fixture(fixture: Fixture) throws { try fixture.check() }

  @Test(.inCore, arguments: try Fixture.chosen(isSerial: false, isFirst: false))
  func furtherCompiler(fixture: Fixture) throws { try fixture.check() }

  /// Those in which time matters, one after the other.
  @Suite(.serialized) struct InTurn {
    @Test(arguments: try Fixture.chosen(isSerial: true, isFirst: true))
    func fixture(fixture: Fixture) throws { try fixture.check() }

    @Test(.inCore, arguments: try Fixture.chosen(isSerial: true, isFirst: false))
    func furtherCompiler(fixture: Fixture) throws { try fixture.check() }
  }
}

extension Fixture {
  /// Those that FIXTURES matches; in the inner loop those of gcc, and one variant of a recipe unless FIXTURES is set.
  ///
  /// - Parameter isFirst: Those with the first compiler of their recipe, or those with a further one or a sanitizer.
  static func chosen(isSerial: Bool, isFirst: Bool) throws -> [Fixture] {
    let pattern = ProcessInfo.processInfo.environment["FIXTURES"]
    let found = try all().filter { $0.name.matches(pattern: pattern ?? "*") }
    if found.isEmpty {
      throw RecipeError(description: "no recipe '\(pattern ?? "*")' in Tests/Fixtures/Recipes")
    }
    var recipes: Set<Substring> = []
    return found.filter {
      guard $0.attributes.contains("serial") == isSerial && $0.isFirst == isFirst else {
        return false
      }
      return !isInnerLoop
        || $0.compiler == "gcc"
          && (pattern != nil || recipes.insert($0.name.prefix { $0 != "," }).inserted)
    }
  }

  /// Builds and runs it, and compares what it prints.
  func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
    if let obstacle = try Sanitizers.obstacle(of: compiler) {
      try Test.cancel(Comment(rawValue: obstacle))
    }
    let result = try built().run()
    #expect(result.errorOutput == "", sourceLocation: sourceLocation)
    #expect(result.succeeded, sourceLocation: sourceLocation)
    let output = result.output.hasSuffix("\n") ? String(result.output.dropLast()) : result.output
    if !unless.isEmpty && output.matches(pattern: unless) { try Test.cancel("not here: \(output)") }
    let pattern = prints.joined(separator: "\n")
    #expect(
      output.matches(pattern: pattern), "this is no '\(pattern)'", sourceLocation: sourceLocation)
  }
}

extension String {
  /// Whether all of it matches a shell pattern. The corresponding C function is `fnmatch`.
  fileprivate func matches(pattern: String) -> Bool { fnmatch(pattern, self, 0) == 0 }
}
