import TestSupport

/// The message of the command in a package that left it out: `make test-traits`.
@Suite(.enabled(if: !PackageTraits.hasCommands, "the trait Commands is enabled"), .measured)
struct DisabledTraitTests {
  @Test func theCommandNamesTheTrait() throws {
    let result = try run(Places.products.appending(path: "rebind-inspect").path)
    #expect(result.errorOutput == "rebind-inspect: enable the trait Commands of rebind\n")
    #expect(result.status == 2)
  }
}
